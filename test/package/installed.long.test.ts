import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { canFetchNode, environmentOf, fetchNode } from '../../scripts/other-node.mjs';
import { emptyFolder } from '../cli/spawned-program.ts';

/** The most that a production install may take on the disk, in MiB, and the tarball in bytes. */
const INSTALLED_LIMIT = 220;
const TARBALL_LIMIT = 12 * 1_048_576;

const root = fileURLToPath(new URL('../..', import.meta.url));
const packed = emptyFolder();
let tarball = '';

beforeAll(() => {
  run('npm', ['pack', '--pack-destination', packed], { cwd: root });
  tarball = path.join(packed, readdirSync(packed)[0] ?? '');
}, 300_000);

/** What somebody does who has read the first lines of the README. */
const PROGRAM = `
import { startEmulator } from 'svc-emulator';
const emulator = await startEmulator();
const account = await emulator.account({ credits: 60 });
const answer = await fetch(emulator.baseUrl + '/images/generations', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + account.apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'a pier' }),
});
console.log(answer.status, await account.balance(), process.versions.node);
await emulator.close();`;

it.runIf(canFetchNode).each(['20', '24'])(
  'starts from the tarball in an empty folder on Node %s, and answers',
  { timeout: 1_800_000 },
  async (major) => {
    const env = environmentOf(fetchNode(major));
    const folder = emptyFolder();
    const here = { cwd: folder, env };
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', tarball], here);

    const size = Number.parseInt(run('du', ['-sm', 'node_modules'], here), 10);
    expect(size).toBeLessThanOrEqual(INSTALLED_LIMIT);
    expect(run('npx', ['svc-emulator', 'doctor'], here)).not.toContain('FAILED');
    expect(await startAndAsk(folder, env)).toEqual({ models: 200, version: `v${major}` });
    writeFileSync(path.join(folder, 'program.js'), PROGRAM);
    expect(run('npx', ['svc-emulator', 'exec', '--quiet', '--', 'node', 'program.js'], here)).toMatch(
      new RegExp(`^200 50 ${major}\\.`),
    );
  },
);

/** Whatever the package exports, in a program of each kind of module. */
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

it('declares its types for a strict project that has none but those of Node and of its runners', () => {
  const folder = emptyFolder();
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
  const others = ['typescript@~6.0', '@types/node@20', 'vitest@~4.1', '@playwright/test@~1.59'];
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
});

it('packs at most 12 MB', () => {
  const size = Number(run('stat', ['-c', '%s', tarball], { cwd: packed }));
  expect(size).toBeLessThanOrEqual(TARBALL_LIMIT);
});

/** `npx svc-emulator start` until it is ready, one request, and a signal. */
async function startAndAsk(folder: string, env: NodeJS.ProcessEnv) {
  const line = ['svc-emulator', 'start', '--port', '0'];
  // npx does not pass a signal on: its whole group gets it, as from a terminal.
  const child = spawn('npx', line, {
    ...{ cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  let said = '';
  while (!said.includes('ready on')) {
    const [text] = await once(child.stdout ?? child, 'data');
    said += text;
  }
  const url = /ready on (\S+)/.exec(said)?.[1] ?? '';
  const models = (await fetch(`${url}/v1/models`)).status;
  const version = run('node', ['--version'], { cwd: folder, env }).split('.')[0];
  process.kill(-Number(child.pid), 'SIGTERM');
  await once(child, 'close');
  await expect(fetch(`${url}/v1/models`)).rejects.toThrow();
  return { models, version };
}

function run(command: string, args: readonly string[], options: { cwd: string; env?: NodeJS.ProcessEnv }): string {
  return execFileSync(command, args, { ...options, encoding: 'utf8' });
}
