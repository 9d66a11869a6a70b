import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { canFetchNode, environmentOf, fetchNode, fetchNpm } from '../../scripts/other-node.mjs';
import { emptyFolder, folderOf, ProgramGroup } from '../cli/spawned-program.ts';

/**
 * The most that a production install may take on the disk, in MiB, and the tarball in bytes. If npm compiles better-sqlite3
 * because it cannot download it, 17 MiB of object files stay. They depend on the machine, not on the package, so they do
 * not count.
 */
const INSTALLED_LIMIT = 150;
const WITHOUT_OBJECT_FILES = ['obj*', '*.a'].map((files) => `--exclude=better-sqlite3/build/Release/${files}`);
const TARBALL_LIMIT = 7 * 1_048_576;

const root = fileURLToPath(new URL('../..', import.meta.url));
const packed = emptyFolder();
let tarball = '';

beforeAll(() => {
  run('npm', ['pack', '--pack-destination', packed], { cwd: root });
  tarball = path.join(packed, readdirSync(packed)[0] ?? '');
}, 300_000);

/** The quick start in one process: an image, a clip, a song and the dashboard. Other warnings of Node still appear. */
const PROGRAM = `
import { startEmulator } from 'svc-emulator';
const { emitWarning } = process;
const emulator = await startEmulator();
const account = await emulator.account({ credits: 1000 });
const ask = async (path, order) => {
  const answer = await fetch(emulator.baseUrl + path, {
    method: 'POST',
    headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(order),
  });
  return answer.json();
};
const kindOf = async (url) => {
  const answer = await fetch(url);
  return answer.ok && answer.headers.get('content-type');
};
const picture = await ask('/images/generations', { prompt: 'a pier', response_format: 'url' });
const clip = await ask('/videos/generations', { prompt: 'a pier', model: 'vid_max5havc', resolution: '480p' });
const song = await ask('/music/generations', { prompt: 'a pier', seconds: 30, n: 1 });
const kinds = [await kindOf(picture.data[0].url)];
for (const id of [clip.data?.[0].id ?? clip.id, song.data[0].id]) kinds.push(await kindOf((await emulator.waitFor.job(id)).resultUrl));
kinds.push(await kindOf(emulator.url));
await emulator.close();
process.on('warning', ({ name }) => console.log(name));
process.emitWarning('heard', 'ExperimentalWarning');
console.log(JSON.stringify(kinds), emitWarning === process.emitWarning);`;

type Npm = (args: readonly string[], here: Place) => string;
interface Place {
  cwd: string;
  env: NodeJS.ProcessEnv;
}

const usual: Npm = (args, here) => run('npm', args, here);
const newest: Npm = (args, here) => run('node', [fetchNpm('12'), ...args], here);
const QUIET = ['--no-audit', '--no-fund', '--prefer-offline'];

const BLOCKED = 'without install scripts';
const INSTALLS: readonly [string, string, Npm, readonly string[]][] = [
  ['20', BLOCKED, usual, ['--ignore-scripts']],
  ['22', BLOCKED, usual, ['--ignore-scripts']],
  ['22', 'by npm 12, which blocks install scripts', newest, []],
  ['24', BLOCKED, usual, ['--ignore-scripts']],
  ['24', 'by npm 12, which blocks install scripts', newest, []],
];

it.runIf(canFetchNode).each(INSTALLS)(
  'starts, and renders an image, a video and a song, on Node %s if installed %s (on Node 20 after the suggested npm rebuild)',
  { timeout: 1_800_000 },
  async (major, _how, npm, flags) => {
    const env = { ...environmentOf(fetchNode(major)), npm_config_ignore_scripts: undefined };
    const here = { cwd: emptyFolder(), env };
    writeFileSync(path.join(here.cwd, 'package.json'), '{"type":"module"}');
    npm(['install', '--save-dev', ...QUIET, ...flags, tarball], here);
    if (major === '20') repair(here);

    const size = Number.parseInt(run('du', ['-sm', ...WITHOUT_OBJECT_FILES, 'node_modules'], here), 10);
    expect(size).toBeLessThanOrEqual(INSTALLED_LIMIT);
    const found = run('npx', ['svc-emulator', 'doctor', '--port', '0'], here);
    expect(found).not.toContain('FAILED');
    expect(found).toMatch(major === '20' ? /^ok +SQLite +better-sqlite3 /m : /^ok +SQLite +node:sqlite, /m);
    expect(await startAndAsk(here)).toEqual({ models: 200, version: `v${major}` });
    writeFileSync(path.join(here.cwd, 'program.js'), PROGRAM);
    const line = ['svc-emulator', 'exec', '--quiet', '--', 'node', 'program.js'];
    const { stdout, stderr } = spawnSync('npx', line, { ...here, encoding: 'utf8' });
    expect(stderr).not.toMatch(/SQLite/);
    expect(stdout).toBe(
      '["image/png","video/mp4","audio/mpeg","text/html; charset=utf-8"] true\nExperimentalWarning\n',
    );
  },
);

const TOLD = '({ message }) => { console.error(message); process.exitCode = 1; }';
const DOORS = [
  [path.join('node_modules', 'svc-emulator', 'dist', 'main.js'), 'start', '--port', '0'],
  ['-e', `import('svc-emulator').then((all) => all.startEmulator()).catch(${TOLD})`],
  ['-e', `Promise.resolve().then(() => require('svc-emulator').startEmulator()).catch(${TOLD})`],
];

it.runIf(canFetchNode)('exits with 1 on Node 18, with one line that says which Node to install [I150]', () => {
  const cwd = folderOf({ 'package.json': '{}' });
  run('npm', ['install', '--ignore-scripts', ...QUIET, tarball], { cwd });
  const { node } = fetchNode('18');
  for (const door of DOORS) {
    const { status, stdout, stderr } = spawnSync(node, door, { cwd, encoding: 'utf8' });
    expect([status, stdout, stderr.replace(/^svc-emulator: /, '')]).toEqual([
      ...[1, '', expect.stringMatching(/^Node v18\.\S+ is too old: install Node 20\.19 or later\.\n$/)],
    ]);
  }
});

/** Checks that the program names one command if its compiled part is missing, and runs this command. */
function repair(here: Place): void {
  const { status, stderr } = spawnSync('npx', ['svc-emulator', 'exec', '--', 'node', '--version'], {
    ...here,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  const [, remedy = ''] = /Run (npm rebuild .*?), or/.exec(stderr) ?? [];
  const [command = '', ...args] = remedy.split(' ');
  run(command, args, here);
}

/** Programs of each kind of module, which import everything that the package exports. */
const CONSUMERS = {
  'app.ts': `
import { connectEmulator, startEmulator, verifySignature } from 'svc-emulator';
import { errorSchema, eventSchema } from 'svc-emulator/events';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { test as page } from 'svc-emulator/playwright';
import { test } from 'svc-emulator/vitest';
export { connectEmulator, emulatorFixtures, errorSchema, eventSchema, page, startEmulator, test, verifySignature };
`,
  'suite.cts': `
import { startEmulator } from 'svc-emulator';
import { emulatorFixtures } from 'svc-emulator/jest';
export { emulatorFixtures, startEmulator };
`,
};
const STRICT = {
  ...{ target: 'ES2023', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ skipLibCheck: false, noEmit: true, types: ['node'] },
};

it.each(['~4.1', '~5.1'])(
  'declares its types for a strict project with Vitest %s and no types but those of Node',
  (version) => {
    const folder = folderOf({ 'package.json': '{"type":"module"}' });
    const others = ['typescript@~6.0', '@types/node@22', `vitest@${version}`, '@playwright/test@~1.59'];
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', tarball, ...others], { cwd: folder });
    for (const [name, text] of Object.entries(CONSUMERS)) writeFileSync(path.join(folder, name), text);
    for (const [file, module, moduleResolution] of [
      ['app.ts', 'NodeNext', 'NodeNext'],
      ['app.ts', 'ESNext', 'bundler'],
      ['suite.cts', 'NodeNext', 'NodeNext'],
    ]) {
      const options = { compilerOptions: { ...STRICT, module, moduleResolution }, files: [file] };
      writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(options));
      expect(run('npx', ['tsc', '-p', '.'], { cwd: folder })).toBe('');
    }
  },
);

/** A suite with two costs in one file, and account options that only some tests have. */
const SUITE = `
import { expect } from 'vitest';
import { spends, test } from 'svc-emulator/vitest';
const pay = async ({ emulator, account }) => {
  const headers = { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello.' }] });
  expect((await fetch(emulator.baseUrl + '/chat/completions', { method: 'POST', headers, body })).status).toBe(200);
};
spends(1, test)('pays one', pay);
spends(2, test)('pays two', async ({ emulator, account }) => {
  for (let n = 0; n < 2; n += 1) await pay({ emulator, account });
});
spends(2, test)('pays one of two', pay);
const poor = test.extend({ accountOptions: { plan: 'payg', credits: 7 } });
poor('has seven credits', async ({ account }) => expect(await account.balance()).toBe(7));
spends(1, poor)('has six credits left', async ({ emulator, account }) => {
  await pay({ emulator, account });
  expect(await account.balance()).toBe(6);
});
test('gives the account of an installed fixture a thousand credits', async ({ account }) => expect(await account.balance()).toBe(1000));
`;

function suiteOn(version: string) {
  const folder = folderOf({ 'package.json': '{"type":"module"}', 'a.test.js': SUITE });
  const env = environmentOf(fetchNode('22'));
  const packages = [tarball, `vitest@${version}`, 'vite'];
  run('npm', ['install', '--ignore-scripts', '--legacy-peer-deps', ...QUIET, ...packages], { cwd: folder, env });
  const line = ['vitest', 'run', '--reporter=verbose', '--testTimeout=60000'];
  const { stdout, stderr } = spawnSync('npx', line, { cwd: folder, env: { ...env, NO_COLOR: '1' }, encoding: 'utf8' });
  return stdout + stderr;
}

it.runIf(canFetchNode).each(['~4.1', '~5.0', '~5.1'])(
  'compares the cost and applies the options of each test on Vitest %s',
  (version) => {
    const output = suiteOn(version);
    expect(output).toMatch(/Tests +1 failed \| 5 passed/);
    expect(output).toMatch(/FAIL .* pays one of two\n.*Expected 2 credits spent, got 1 credit spent/);
  },
);

it.runIf(canFetchNode).each(['~3.2', '~4.0'])('reports once that Vitest %s is too old', (version) => {
  const output = suiteOn(version);
  expect(output).toMatch(/svc-emulator\/vitest needs Vitest 4\.1 or later, not \d\.\d\.\d+\. Run npm i -D vitest@4/);
  expect(output).toMatch(/Test Files +1 failed/);
  expect(output.split('needs Vitest 4.1')).toHaveLength(2);
});

it('packs the package in at most 7 MiB', () => {
  const size = Number(run('stat', ['-c', '%s', tarball], { cwd: packed }));
  expect(size).toBeLessThanOrEqual(TARBALL_LIMIT);
});

/** Runs `npx svc-emulator start`, sends a request once it is ready, and stops it with a signal. */
async function startAndAsk(here: Place) {
  const line = ['svc-emulator', 'start', '--port', '0'];
  // npx does not pass signals on, so the whole group gets the signal, as from a terminal.
  const program = new ProgramGroup('npx', line, { ...here, stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await program.ready();
  const models = (await fetch(`${url}/v1/models`)).status;
  const version = run('node', ['--version'], here).split('.')[0];
  program.signal('SIGTERM');
  await program.ended();
  await expect(fetch(`${url}/v1/models`)).rejects.toThrow();
  return { models, version };
}

function run(command: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): string {
  return execFileSync(command, args, { ...options, encoding: 'utf8' });
}
