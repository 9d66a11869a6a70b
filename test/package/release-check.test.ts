import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const SCRIPT = path.join(ROOT, 'scripts', 'release-check.mjs');
const PAGES = ['README.md', 'docs/ci.md', 'docs/quickstart.md'];
const APPS = ['chat', 'shop', 'studio'].map((name) => `examples/${name}/README.md`);
const FILES = ['package.json', 'server.json', ...PAGES, ...APPS];

/** A copy of the files that the check reads, with these changes. */
function copyWith(...changes: Record<string, (text: string) => string>[]): string {
  const folder = emptyFolder();
  for (const name of FILES) cpSync(path.join(ROOT, name), path.join(folder, name));
  for (const [name, change] of changes.flatMap((each) => Object.entries(each))) {
    const file = path.join(folder, name);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  }
  return folder;
}

function released(cwd: string) {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd, encoding: 'utf8' });
  return { status, lines: stderr.trimEnd().split('\n') };
}

const withFields = (fields: object) => (text: string) => JSON.stringify({ ...JSON.parse(text), ...fields });
const fromNpm = (text: string) => text.replaceAll(/(?:\.\/)?svc-emulator-[\d.]+\.tgz/g, 'svc-emulator');

const OWNED = {
  'package.json': withFields({
    repository: { type: 'git', url: 'git+https://git.example.com/team/svc-emulator.git' },
    bugs: 'https://git.example.com/team/svc-emulator/issues',
    mcpName: 'com.example/svc-emulator',
  }),
  'server.json': withFields({ name: 'com.example/svc-emulator' }),
  ...Object.fromEntries([...PAGES, ...APPS].map((page) => [page, fromNpm])),
} as const;

/** Changes that undo everything that the owner must fill in. */
const UNOWNED = {
  'package.json': withFields({ repository: undefined, bugs: undefined, mcpName: undefined }),
  'server.json': withFields({ name: 'io.github.OWNER/svc-emulator' }),
  ...Object.fromEntries([...PAGES, ...APPS].map((page) => [page, () => 'npm i -D ./svc-emulator-0.1.0.tgz'])),
};

it('rejects a release if an address is missing or a placeholder remains, and names each of them', () => {
  const { status, lines } = released(copyWith(UNOWNED));
  expect(status).toBe(1);
  expect(lines).toEqual([
    'release-check: "repository" is missing in package.json; add the https address.',
    'release-check: "bugs" is missing in package.json; add the https address.',
    expect.stringContaining('"name" in server.json is io.github.OWNER/svc-emulator; replace OWNER'),
    'release-check: "mcpName" in package.json must be equal to "name" in server.json.',
    ...[...PAGES, ...APPS].map(
      (page) => `release-check: ${page} installs the package from a file; tell how to install it from npm.`,
    ),
    'release-check: Nothing was published. See docs/project/releasing.md.',
  ]);
});

it('allows a release if all addresses are filled in', () => {
  expect(released(copyWith(OWNED))).toEqual({ status: 0, lines: [''] });
});

it.each<[string, Record<string, (text: string) => string>, string]>([
  ['a placeholder', { 'package.json': withFields({ bugs: 'https://github.com/OWNER/svc-emulator' }) }, '"bugs" in'],
  ['a relative address', { 'package.json': withFields({ repository: '../svc-emulator' }) }, '"repository" in'],
  ['an empty address', { 'package.json': withFields({ bugs: { url: '' } }) }, '"bugs" in'],
  ['another version', { 'server.json': withFields({ version: '9.9.9' }) }, 'The versions in server.json must be'],
])('rejects a publication with %s', (_, changes, said) => {
  const { status, lines } = released(copyWith(OWNED, changes));
  expect([status, lines.length]).toEqual([1, 2]);
  expect(lines[0]).toContain(said);
});

it('copies the version from package.json to server.json when npm changes it', () => {
  const folder = copyWith();
  cpSync(path.join(ROOT, 'scripts', 'server-version.mjs'), path.join(folder, 'scripts', 'server-version.mjs'));
  const run = (line: string) => spawnSync(line, { cwd: folder, encoding: 'utf8', shell: true });
  const name = '-c user.name=a -c user.email=a@example.com';
  run(
    `git init -q && git add . && git ${name} commit -qm first && git config user.name a && git config user.email a@b.example`,
  );
  expect(run('npm version minor').stdout).toContain('v0.2.0');
  const server = JSON.parse(readFileSync(path.join(folder, 'server.json'), 'utf8'));
  const program = { registryType: 'npm', identifier: 'svc-emulator', packageArguments: [{ value: 'mcp' }] };
  expect(server).toMatchObject({ version: '0.2.0', packages: [{ ...program, version: '0.2.0' }] });
  expect(run('git status --porcelain').stdout).toBe('');
});

it('stops npm publish if the release check of the package finds a mistake', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  expect([scripts.prepublishOnly, scripts['release-check']]).toEqual([
    'npm run release-check',
    'node scripts/release-check.mjs',
  ]);
  const folder = copyWith({ 'package.json': withFields({ files: ['README.md'], repository: undefined }) });
  cpSync(SCRIPT, path.join(folder, 'scripts', 'release-check.mjs'));
  const { status, stderr } = spawnSync('npm', ['publish', '--dry-run'], { cwd: folder, encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stderr).toContain('release-check: "repository" is missing');
});
