import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { cleanEnvironment } from '../support/run-clock.ts';
import { World, world } from '../support/world.ts';
import { emptyFolder, MAIN, ProgramGroup } from './spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const onPosix = it.skipIf(process.platform === 'win32');

/** Settings that keep npm from looking for updates and writing logs, and Node from caching code. */
const NPM_QUIET = { npm_config_update_notifier: 'false', npm_config_logs_max: '0', NODE_DISABLE_COMPILE_CACHE: '1' };

const SONG = { prompt: 'a song of the sea', n: 1, seconds: 60 };

/** npm, its shell and the emulator, in a process group of their own. */
async function started(line: readonly string[], cwd: string, more: Record<string, string> = {}) {
  const [command = '', ...words] = line;
  const { HOME = '' } = process.env;
  const env = { ...cleanEnvironment({ HOME, ...NPM_QUIET }), ...more };
  const npm = new ProgramGroup(command, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { npm, here: new World({ url: await npm.ready() }) };
}

async function npmStart(flags: readonly string[], env: Record<string, string> = {}) {
  const { npm, here } = await started(['npm', 'start', '--', '--port', '0', ...flags], ROOT, env);
  const endGroup = async (name: NodeJS.Signals) => {
    npm.signal(name);
    // This resolves once npm and all processes that can write to its output have ended.
    await npm.ended();
    expect(npm.stdout + npm.stderr).not.toMatch(/^\s+at |\bError:/m);
  };
  return { here, endGroup };
}

/** A project that has this package, with scripts that start it. */
function project(): string {
  const folder = emptyFolder();
  const bin = path.join(folder, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(MAIN, path.join(bin, 'svc-emulator'));
  const scripts = {
    emulator: 'svc-emulator start --port 0 --ephemeral',
    background: 'svc-emulator start --port 0 --ephemeral & sleep 3',
  };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ name: 'shop', version: '1.0.0', scripts }));
  return folder;
}

/** Starts the emulator of a project with npm. */
async function emulatorOf(line: readonly string[]) {
  const { npm, here } = await started(line, project());
  const isUp = async () => (await here.control('GET', '/health').catch(() => undefined))?.status === 200;
  expect(await isUp()).toBe(true);
  return { npm, here, isUp };
}

const NPX = ['npx', 'svc-emulator', 'start', '--port', '0', '--ephemeral'];

onPosix.each<[NodeJS.Signals, readonly string[]]>([
  ['SIGKILL', NPX],
  ['SIGTERM', ['npm', 'run', 'emulator']],
])('ends the emulator if %s reaches only the npm process, started as %j', async (signal, line) => {
  const { npm, isUp } = await emulatorOf(line);
  npm.child.kill(signal);
  // The emulator keeps the output open until its end.
  await npm.ended();
  expect(await isUp()).toBe(false);
});

onPosix('keeps an emulator running that a script of npm leaves in the background', async () => {
  const { npm, here, isUp } = await emulatorOf(['npm', 'run', 'background']);
  if (npm.child.exitCode === null) await once(npm.child, 'exit');
  // This wait is longer than the emulator needs to notice the end of npm.
  expect((await here.wait('delivery:flow.run.waiting', { timeout: 2 })).status).toBe(408);
  expect(await isUp()).toBe(true);
});

onPosix('npm start leaves no temporary files if a SIGINT reaches its process group during a song', async () => {
  const folder = emptyFolder();
  const { here, endGroup } = await npmStart(['--ephemeral'], { TMPDIR: folder });
  const account = await here.account({ credits: 1000 });
  expect((await account.post('/music/generations', SONG)).status).toBe(202);
  expect(readdirSync(folder)).not.toEqual([]);
  await endGroup('SIGINT');
  expect(readdirSync(folder)).toEqual([]);
});

onPosix('finishes a song at the next start if a SIGTERM reached the process group of npm start [I062]', async () => {
  const folder = emptyFolder();
  const { here, endGroup } = await npmStart(['--data-dir', folder]);
  const ana = await here.account({ credits: 1000 });
  const { body } = await ana.post('/music/generations', SONG);
  await endGroup('SIGTERM');

  const next = await world({ ephemeral: false, dataDir: folder });
  const again = ana.in(next);
  const song = await again.finished(`/music/generations/${body.data[0].id}`);
  expect(song.body).toMatchObject({ status: 'succeeded' });
  expect(await again.ledger()).toEqual(['grant 50', 'top_up 950', `charge -${body.usage.credits_spent}`]);
  expect(await next.invariants()).toMatchObject({ ok: true });
});
