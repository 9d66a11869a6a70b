import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { waitRealTime } from '../../src/base/clock/clock.ts';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { lookUntil } from '../support/look-until.ts';
import { gitIn, repository, TOKEN } from './check/ended-proof.ts';
import { emptyFolder, runToEnd, SpawnedProgram } from './spawned-program.ts';

/** Leaves a process in its group and, under check, a detached one. Sends a message, and ends if it is not endless. */
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
/** The words of each command, and a run that comes after it. */
const USES: Readonly<Record<string, [line: string[], next: string[]]>> = {
  exec: [
    ['exec', '--', ...RUN, 'endless'],
    ['exec', '--', 'sh', '-c', 'sleep 1'],
  ],
  check: [
    ['check', '--', ...RUN],
    ['check', '--', 'sh', '-c', 'sleep 1'],
  ],
  'check --prove': [
    ['check', '--prove', TOKEN, '--base', 'HEAD', '--', ...RUN],
    ['check', '--', 'sh', '-c', 'sleep 1'],
  ],
};
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGKILL'] as const;
/** From before the emulator has started until scenarios are tried, or the second side of a proof is run. Milliseconds. */
const MOMENTS = Array.from({ length: 10 }, (_, at) => 150 + at * 600);
const MARK = 'SVC_SIGNALLED';

/** Processes that were started with the mark. A zombie has no command line. */
function processesOf(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        const environment = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`;
        return environment.includes(`\0${MARK}=${folder}\0`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
      } catch {
        return false;
      }
    });
}

/** Signals a program after a time, and resolves with what is left: processes, temporary folders and work trees. */
async function leftAfter(use: string, signal: (typeof SIGNALS)[number], ms: number): Promise<unknown[]> {
  const folder = repository({ 'suite.mjs': SUITE });
  const temporary = path.join(emptyFolder(), 'tmp');
  mkdirSync(temporary);
  const env = { TMPDIR: temporary, [MARK]: folder };
  const [line = [], next = []] = USES[use] ?? [];
  const program = new SpawnedProgram(line, env, folder);
  const closed = once(program.child, 'close');
  await waitRealTime(new VirtualClock(), ms);
  const began = performance.now();
  program.child.kill(signal);
  if (signal === 'SIGKILL') {
    await lookUntil(() => program.child.exitCode !== null || program.child.signalCode !== null);
    // A run of a proof ends itself. The command of exec goes on, and is not the next one's to end.
    if (use !== 'check') await lookUntil(() => processesOf(folder).length === 0 || endAll(use, folder));
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
  'leaves no process or folder of %s after a signal at %i ms, but SIGKILL leaves the command of exec, and all else until the next run',
  async (use, ms) => {
    const left = await Promise.all(SIGNALS.map(async (signal) => ({ signal, left: await leftAfter(use, signal, ms) })));
    expect(left).toEqual(SIGNALS.map((signal) => ({ signal, left: [] })));
  },
  180_000,
);
