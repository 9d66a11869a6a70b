import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { hasNodeSqlite } from '../../src/base/database/open-sqlite.ts';
import { VERSION } from '../../src/base/package/package-folder.ts';
import { deliveryWithEnvelopeSchema } from '../../src/engine/webhooks/webhook-records.ts';
import { readPage } from '../docs/follow-page.ts';
import { takenPort } from '../support/free-port.ts';
import { runCommand } from '../support/run-command.ts';
import { world } from '../support/world.ts';
import { fileOf, runToEnd, startProgram } from './spawned-program.ts';

const LIBRARY = path.join(import.meta.dirname, '..', '..', 'dist', 'index.js');

it('exits with 1 and says that another svc-emulator uses the port; doctor says so too [I150 I151]', async () => {
  const { port } = new URL((await world()).url);
  const held = `Port ${port} of 127.0.0.1 is in use by another svc-emulator (version ${VERSION})`;
  const second = await runCommand(['start', '--port', port, '--ephemeral']);
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toMatch(/^svc-emulator: Port .*--port.*\n$/);
  expect(second.stderr).toContain(held);
  expect((await runCommand(['doctor', '--port', port, '--ephemeral'])).stdout).toContain(
    `FAILED  port            ${held}`,
  );
});

it('starts on 127.0.0.1 although another program uses the same port on ::1, and says so in one line', async () => {
  const port = await takenPort('::1');
  const { program } = await startProgram(['--ephemeral', '--port', String(port)]);
  await program.stop('SIGHUP');
  expect(program.child.exitCode).toBe(0);
  const lines = program.stderr.split('\n').filter((line) => line.includes('::1'));
  expect(lines).toEqual([
    `[::1]:${port} belongs to another program: clients that use "localhost" may reach that program. Use 127.0.0.1, or choose another port with --port.`,
  ]);
});

/** Scripts that simulate an old Node, or a native module that cannot be loaded. */
const SPOILT = {
  'an old Node': "Object.defineProperty(process.versions, 'node', { value: '18.20.8' });",
  'a native module of another Node':
    "process.dlopen = (_, file) => { throw Object.assign(new Error(['The module ', file, '\\nwas compiled against a different Node.js version'].join('')), { code: 'ERR_DLOPEN_FAILED' }); };",
  'a failed build, after which npm removes the package': `const Module = require('node:module'); const find = Module._resolveFilename; Module._resolveFilename = (...asked) => { if (/^better-sqlite3/.test(asked[0])) throw Object.assign(new Error("Cannot find module '" + asked[0] + "'"), { code: 'MODULE_NOT_FOUND' }); return find(...asked); };`,
  'a blocked install script':
    "const Module = require('node:module'); const load = Module._load; Module._load = (...asked) => { if (/better_sqlite3\\.node$/.test(asked[0])) throw Object.assign(new Error(['Cannot find module', asked[0]].join(' ')), { code: 'MODULE_NOT_FOUND' }); return load(...asked); };",
};

const REBUILD = 'Run npm rebuild --ignore-scripts=false better-sqlite3, or use Node 22\\.13';
const UNFIT = [
  ['an old Node', /Node v18\.20\.8 is too old: install Node 20\.19 or later\.$/],
  ['a native module of another Node', new RegExp(`compiled for another version of Node\\. ${REBUILD}`)],
  ['a blocked install script', new RegExp(`not installed for .*\\. ${REBUILD}`)],
  ['a failed build, after which npm removes the package', /npm install --ignore-scripts=false better-sqlite3@12, or/],
] as const;

// A Node that has SQLite needs no better-sqlite3.
it.each(hasNodeSqlite() ? UNFIT.slice(0, 1) : UNFIT)(
  'names the remedy for %s in start, in doctor and in a program that imports svc-emulator',
  async (kind, remedy) => {
    const spoiler = fileOf('spoiler.cjs', SPOILT[kind]);
    const folder = path.dirname(spoiler);
    const env = { NODE_OPTIONS: `--require ${spoiler}` };
    const data = path.join(folder, 'data');
    const start = await runToEnd(['start', '--port', '0', '--data-dir', data], env);
    expect([start.exitCode, start.stdout]).toEqual([1, '']);
    expect(start.stderr.trimEnd()).toMatch(remedy);
    expect(start.stderr.trimEnd().split('\n')).toHaveLength(1);
    const doctor = await runToEnd(['doctor', '--port', '0'], env, folder);
    expect(doctor.exitCode).toBe(1);
    expect((doctor.stdout + doctor.stderr).split('\n').filter((line) => remedy.test(line)).length).toBeGreaterThan(0);
    expect(doctor.stdout).not.toMatch(/self-register|Could not locate|compiled against/);

    const script = `import(${JSON.stringify(`file://${LIBRARY}`)}).then((all) => all.startEmulator()).catch((error) => console.log(error.message))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env: { ...process.env, ...env } });
    expect(stdout.trimEnd()).toMatch(remedy);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  },
);

it('describes every field of a delivery in the HTTP reference', () => {
  const [, chapter = ''] = /^## A delivery$([\s\S]*?)^## /m.exec(readPage('docs/http-api.md')) ?? [];
  const told = [...chapter.matchAll(/^\| (`.+?`) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
  expect(told.sort()).toEqual(Object.keys(deliveryWithEnvelopeSchema.shape).sort());
});
