import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RUN_CLOCK } from '../support/run-clock.ts';
import { World } from '../support/world.ts';
import { emptyFolder, startProgram } from './spawned-program.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const onPosix = it.skipIf(process.platform === 'win32');

/** `npm start` with npm, its shell and the emulator in a process group of their own. */
async function npmStart(flags: readonly string[], env: Record<string, string> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('npm', ['start', '--', '--port', '0', ...flags], {
    cwd: ROOT,
    detached: true,
    env: { ...RUN_CLOCK, PATH, HOME, TMPDIR: tmpdir(), ...NPM_QUIET, SVC_EMULATOR_WARM: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  const signal = (name: NodeJS.Signals) => {
    if (child.pid === undefined) throw new Error('npm was not started');
    process.kill(-child.pid, name);
  };
  let isOver = false;
  // It comes once npm is gone and nobody is left who could write.
  const closed = once(child, 'close').then(() => {
    isOver = true;
  });
  onTestFinished(() => {
    if (!isOver) signal('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.stdout += text;
      const ready = /^svc-emulator ready on (\S+)$/m.exec(said.stdout)?.[1];
      if (ready) resolve(ready);
    });
    child.once('close', () => reject(new Error(`Ended before it was ready: ${said.stderr}`)));
  });
  const here = new World({ url });
  const endGroup = async (name: NodeJS.Signals) => {
    signal(name);
    await closed;
    expect(said.stdout + said.stderr).not.toMatch(/^\s+at |\bError:/m);
  };
  return { here, endGroup };
}

/** Nothing of npm's own is looked for, written or asked of its registry. */
const NPM_QUIET = { npm_config_update_notifier: 'false', npm_config_logs_max: '0', NODE_DISABLE_COMPILE_CACHE: '1' };

const SONG = { prompt: 'a song of the sea', n: 1, seconds: 60 };

onPosix.each(['SIGTERM', 'SIGINT'] as const)(
  'npm start leaves nothing behind when a %s reaches its whole group amid a song [I203 I150]',
  async (name) => {
    const folder = emptyFolder();
    const { here, endGroup } = await npmStart(['--ephemeral'], { TMPDIR: folder });
    const account = await here.account({ credits: 1000 });
    expect((await account.post('/music/generations', SONG)).status).toBe(202);
    expect(readdirSync(folder)).not.toEqual([]);
    await endGroup(name);
    expect(readdirSync(folder)).toEqual([]);
  },
);

onPosix('npm start keeps for its next start the song that a SIGTERM of its group met [I203 I062]', async () => {
  const folder = emptyFolder();
  const { here, endGroup } = await npmStart(['--data-dir', folder]);
  const ana = await here.account({ credits: 1000 });
  const { body } = await ana.post('/music/generations', SONG);
  await endGroup('SIGTERM');

  const { here: next } = await startProgram(['--data-dir', folder]);
  const again = ana.in(next);
  const song = await again.finished(`/music/generations/${body.data[0].id}`);
  expect(song.body).toMatchObject({ status: 'succeeded' });
  expect(await again.ledger()).toEqual(['grant 50', 'top_up 950', `charge -${body.usage.credits_spent}`]);
  expect(await next.invariants()).toMatchObject({ ok: true });
});
