import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { waitRealTime } from '../../src/base/clock/clock.ts';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { lookUntil } from '../support/look-until.ts';
import { gitIn, processesWith, repository, TOKEN } from './check/ended-proof.ts';
import { emptyFolder, runToEnd, SpawnedProgram } from './spawned-program.ts';

/** Leaves a process and sends a chat. With `endless` it never ends; otherwise it also leaves a detached process. */
const SUITE = `
import { spawn } from 'node:child_process';
spawn('sleep', ['1008'], { stdio: 'ignore' }).unref();
if (process.argv[2] === 'endless') setInterval(() => {}, 1000);
else spawn('sleep', ['1009'], { stdio: 'ignore', detached: true }).unref();
const { SVC_BASE_URL: url, SVC_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const body = JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] });
await fetch(url + '/v1/chat/completions', { method: 'POST', headers, body });
`;
const RUN = [process.execPath, 'suite.mjs'];
const USES: Readonly<Record<string, string[]>> = {
  exec: ['exec', '--', ...RUN, 'endless'],
  check: ['check', '--', ...RUN],
  'check --prove': ['check', '--prove', TOKEN, '--base', 'HEAD', '--', ...RUN],
};
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;
/** Times in milliseconds, from before the start of the emulator to the scenarios, or to the second half of a proof. */
const MOMENTS = Array.from({ length: 10 }, (_, at) => 150 + at * 600);
const MARK = 'SVC_SIGNALLED';

const processesOf = (folder: string) => processesWith(`${MARK}=${folder}\0`).map(({ pid }) => pid);

/** Signals a program after a time, and resolves with what is left: processes, temporary folders and work trees. */
async function leftAfter(use: string, signal: (typeof SIGNALS)[number], ms: number): Promise<unknown[]> {
  const folder = repository({ 'suite.mjs': SUITE });
  const temporary = path.join(emptyFolder(), 'tmp');
  mkdirSync(temporary);
  const env = { TMPDIR: temporary, [MARK]: folder };
  const program = new SpawnedProgram(USES[use] ?? [], env, folder);
  const closed = once(program.child, 'close');
  await waitRealTime(new VirtualClock(), ms);
  const began = performance.now();
  program.child.kill(signal);
  if (signal === 'SIGKILL') {
    await lookUntil(() => program.child.exitCode !== null || program.child.signalCode !== null);
    // A run of a proof ends by itself. The command of exec continues, and the next exec does not stop it.
    if (use !== 'check') await lookUntil(() => processesOf(folder).length === 0 || endAll(use, folder));
    const next = [use === 'exec' ? 'exec' : 'check', '--', 'sh', '-c', 'sleep 1'];
    await runToEnd(next, { TMPDIR: temporary }, folder);
  } else {
    await closed;
    expect(performance.now() - began).toBeLessThan(15_000);
  }
  const trees = gitIn(folder)('worktree', 'list').trim().split('\n').slice(1);
  return [...processesOf(folder), ...readdirSync(temporary), ...trees];
}

function endAll(use: string, folder: string): boolean {
  if (use === 'exec') for (const pid of processesOf(folder)) process.kill(pid, 'SIGKILL');
  return false;
}

it
  .runIf(process.platform === 'linux')
  .each(Object.keys(USES).flatMap((use) => MOMENTS.map((ms) => [use, ms] as const)))(
  'leaves no process or folder of %s after a signal at %i ms; after SIGKILL they are gone after the next run, except for the command of exec',
  async (use, ms) => {
    const left = await Promise.all(SIGNALS.map(async (signal) => ({ signal, left: await leftAfter(use, signal, ms) })));
    expect(left).toEqual(SIGNALS.map((signal) => ({ signal, left: [] })));
  },
  180_000,
);
