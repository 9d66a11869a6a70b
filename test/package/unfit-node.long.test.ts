import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { canFetchNode, fetchNode } from '../../scripts/other-node.mjs';
import { emptyFolder } from '../cli/spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const COMPILED = path.join('node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node');
const run = promisify(execFile);

/** The package in a project that npm was kept from running install scripts in. */
function install(): string {
  const folder = emptyFolder();
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
  const tarball = path.join(folder, readdirSync(folder)[0] ?? '');
  writeFileSync(path.join(folder, 'package.json'), '{}');
  execFileSync('npm', ['install', ...quiet, tarball], { cwd: folder, stdio: 'pipe' });
  return folder;
}

async function outcome(node: string, line: readonly string[], cwd: string) {
  const options = { cwd, env: { ...process.env, NODE_OPTIONS: '' } };
  const ended = run(node, line, options).then(
    ({ stdout, stderr }) => ({ exitCode: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ exitCode: Number(code), stdout: String(stdout), stderr: String(stderr) }),
  );
  const { exitCode, stdout, stderr } = await ended;
  return { exitCode, stdout, stderr: stderr.trimEnd().split('\n') };
}

const MAIN = path.join('node_modules', 'svc-emulator', 'dist', 'main.js');
const SHOW = 'error => { console.error(error.message); process.exitCode = 1; }';
/** Every door that a project comes in by. */
const DOORS: readonly (readonly string[])[] = [
  [MAIN, 'start', '--port', '0', '--ephemeral'],
  [MAIN, 'exec', '--', 'node', '--version'],
  ['-e', `import('svc-emulator').then((all) => all.startEmulator()).catch(${SHOW})`],
  [
    '-e',
    `try { require('svc-emulator').startEmulator().catch(${SHOW}) } catch (error) { console.error(error.message); process.exitCode = 1; }`,
  ],
];

const REBUILD =
  /better-sqlite3, which Node 20\.\S+ needs, cannot run: .+\. Run npm rebuild --ignore-scripts=false better-sqlite3, or/;

/** The line of doctor, without the name of what it looked at. */
async function remedyOf(node: string, folder: string): Promise<string> {
  const { exitCode, stdout, stderr } = await outcome(node, [MAIN, 'doctor', '--port', '0'], folder);
  expect(exitCode).toBe(1);
  const lines = [...stdout.split('\n'), ...stderr].filter((line) => /^FAILED +(?:Node|SQLite) /.test(line));
  return (lines[0] ?? stderr.join('\n')).replace(/^(?:FAILED +\S+|svc-emulator:) +/, '');
}

it.runIf(canFetchNode)(
  'exits on Node 18, and on Node 20 without a usable native part, with the line that doctor prints [I151]',
  async () => {
    const folder = install();
    const compiled = path.join(folder, COMPILED);
    const states: readonly [string, RegExp, () => void][] = [
      [fetchNode('18').node, /^Node v18\.\S+ is too old: install Node 20\.19 or later\.$/, () => {}],
      [fetchNode('20').node, REBUILD, () => {}],
      [
        fetchNode('20').node,
        REBUILD,
        () => {
          mkdirSync(path.dirname(compiled), { recursive: true });
          writeFileSync(compiled, 'made for another machine');
        },
      ],
    ];
    for (const [node, remedy, prepare] of states) {
      prepare();
      const told = await remedyOf(node, folder);
      expect(told).toMatch(remedy);
      for (const door of DOORS) {
        const { exitCode, stdout, stderr } = await outcome(node, door, folder);
        expect({
          node,
          door,
          exitCode,
          stdout,
          stderr: stderr.map((line) => line.replace(/^svc-emulator: /, '')),
        }).toEqual({ node, door, exitCode: 1, stdout: '', stderr: [told] });
      }
    }
    const newer = await outcome(fetchNode('24').node, [MAIN, 'exec', '--quiet', '--', 'echo', 'done'], folder);
    expect(newer).toMatchObject({ exitCode: 0, stdout: 'done\n' });
  },
);
