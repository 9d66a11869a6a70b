import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, folderOf, isRunning } from './spawned-program.ts';

const isLinux = process.platform === 'linux';
/** Asks once, and leaves a process in its group and a detached one that holds its output. */
const LEAVES = `
import { spawn } from 'node:child_process';
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
await fetch(base + '/v1/models', { headers: { authorization: 'Bearer ' + key } });
spawn('sleep', ['1003'], { stdio: 'inherit', detached: true }).unref();
spawn('sleep', ['1004'], { stdio: 'inherit' }).unref();`;

/** The processes that the message names; the test ends them, whatever becomes of it. */
function namedPids(stderr: string): number[] {
  const pids = [...stderr.matchAll(/(\d+) \(sleep 100[34]\)/g)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  return pids;
}

it.runIf(isLinux)('names what a command of exec leaves, and does not wait for what holds its output', async () => {
  const trace = path.join(emptyFolder(), 'run.html');
  const began = performance.now();
  const line = ['exec', '--trace', trace, '--', process.execPath, '--input-type=module', '-e', LEAVES];
  const { exitCode, stderr } = await runCommand(line, { CI: '' });

  expect(namedPids(stderr)).toHaveLength(2);
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
  const folder = folderOf({ 'shop.mjs': LEAVES });
  const line = ['check', '--only', 'lost_response', '--budget', '60s', '--', process.execPath, 'shop.mjs'];
  const { stderr } = await runCommand(line, {}, folder);

  expect(stderr).toMatch(/^Your command left processes running, which were stopped: \d+ \(sleep 100[34]\)/m);
  const pids = namedPids(stderr);
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
});
