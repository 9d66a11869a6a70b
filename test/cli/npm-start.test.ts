import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cleanEnvironment } from '../support/run-clock.ts';
import { World, world } from '../support/world.ts';
import { emptyFolder, RunningProgram } from './spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const onPosix = it.skipIf(process.platform === 'win32');

/** `npm start` with npm, its shell and the emulator in a process group of their own. */
async function npmStart(flags: readonly string[], env: Record<string, string> = {}) {
  const { HOME = '' } = process.env;
  const program = new RunningProgram(
    spawn('npm', ['start', '--', '--port', '0', ...flags], {
      cwd: ROOT,
      detached: true,
      env: { ...cleanEnvironment({ HOME, ...NPM_QUIET }), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const { child } = program;
  const signal = (name: NodeJS.Signals) => process.kill(-Number(child.pid), name);
  onTestFinished(() => void (child.exitCode === null && child.signalCode === null && signal('SIGKILL')));
  const here = new World({ url: await program.ready() });
  const endGroup = async (name: NodeJS.Signals) => {
    signal(name);
    // It ends once npm is gone and nobody is left who could write.
    await program.ended();
    expect(program.stdout + program.stderr).not.toMatch(/^\s+at |\bError:/m);
  };
  return { here, endGroup };
}

/** Nothing of npm's own is looked for, written or asked of its registry. */
const NPM_QUIET = { npm_config_update_notifier: 'false', npm_config_logs_max: '0', NODE_DISABLE_COMPILE_CACHE: '1' };

const SONG = { prompt: 'a song of the sea', n: 1, seconds: 60 };

onPosix('npm start leaves nothing behind when a SIGINT reaches its whole group amid a song [I203 I150]', async () => {
  const folder = emptyFolder();
  const { here, endGroup } = await npmStart(['--ephemeral'], { TMPDIR: folder });
  const account = await here.account({ credits: 1000 });
  expect((await account.post('/music/generations', SONG)).status).toBe(202);
  expect(readdirSync(folder)).not.toEqual([]);
  await endGroup('SIGINT');
  expect(readdirSync(folder)).toEqual([]);
});

onPosix('npm start keeps for its next start the song that a SIGTERM of its group met [I203 I062]', async () => {
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
