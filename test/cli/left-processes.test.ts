import path from 'node:path';
import { expect, it } from 'vitest';
import { type CommandRun, commandHere } from '../support/command-here.ts';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder } from './spawned-program.ts';

const isLinux = process.platform === 'linux';
/** Asks once, and leaves a process in its group and a detached one that holds its output. */
async function leaves(run: CommandRun): Promise<void> {
  await run.call('GET', '/v1/models');
  run.end = 'exec 3<&-; setsid sleep 1003 & sleep 1004 & exit 0';
}

function endPids(stderr: string): number[] {
  const pids = [...stderr.matchAll(/(\d+) \(sleep 100[34]\)/g)].map(([, pid]) => Number(pid));
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It was ended.
    }
  }
  return pids;
}

it.runIf(isLinux)('names what a command of exec leaves, and does not wait for what holds its output', async () => {
  const trace = path.join(emptyFolder(), 'run.html');
  const began = performance.now();
  const line = ['exec', '--trace', trace, '--', ...(await commandHere(leaves))];
  const { exitCode, stderr } = await runCommand(line, { CI: '' });

  expect(endPids(stderr)).toHaveLength(2);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(
    /^svc-emulator: the command left processes running, which were stopped: \d+ \(sleep 1004\)\.$/m,
  );
  expect(stderr).toMatch(
    /^svc-emulator: these processes still run and keep the output of the command open: \d+ \(sleep 1003\)\.$/m,
  );
  expect(performance.now() - began).toBeLessThan(60_000);
});

it.runIf(isLinux)('names what a command of check leaves, and ends all of it', async () => {
  const line = ['check', '--only', 'lost_response', '--budget', '60s', '--', ...(await commandHere(leaves))];
  const { stderr } = await runCommand(line, {}, emptyFolder());

  expect(stderr).toMatch(/^Your command left processes running, which were stopped: \d+ \(sleep 100[34]\)/m);
  for (const pid of endPids(stderr)) expect(() => process.kill(pid, 0)).toThrow();
});
