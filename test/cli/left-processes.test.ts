import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { emptyFolder, folderOf, isRunning, runToEnd } from './spawned-program.ts';

const isLinux = process.platform === 'linux';
/** A new process has the name of its parent until it runs its own program. */
const UNTIL_SLEEPS = 'until grep -q sleep /proc/\\$!/comm; do :; done';
/** Starts a daemon in the first run only. It has its own group and session and no environment, and its parents end. */
const DAEMON = `mkdir once && env -i setsid sh -c "sleep 1003 >/dev/null 2>&1 & ${UNTIL_SLEEPS}; exec true" & wait`;
/** Sends one request, and leaves a process in its group, a detached one that keeps its output open, and a daemon. */
const LEAVES = `
import { spawn, spawnSync } from 'node:child_process';
spawnSync('sh', ['-c', ${JSON.stringify(DAEMON)}]);
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
await fetch(base + '/v1/models', { headers: { authorization: 'Bearer ' + key } });
spawn('sleep', ['1003'], { stdio: 'inherit', detached: true }).unref();
spawn('sleep', ['1004'], { stdio: 'inherit' }).unref();`;

/** The processes that the message names. They are killed at the end of the test. */
function namedPids(stderr: string): number[] {
  const pids = [...stderr.matchAll(/(\d+) \(sleep 100[34]\)/g)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  return pids;
}

it.runIf(isLinux)(
  'stops and names a process that a command of exec leaves in its process group, and names detached processes and daemons without waiting for them [I149]',
  async () => {
    const trace = path.join(emptyFolder(), 'run.html');
    const began = performance.now();
    const line = ['exec', '--trace', trace, '--', process.execPath, '--input-type=module', '-e', LEAVES];
    const { exitCode, stderr } = await runCommand(line, { CI: '' }, emptyFolder());

    expect(namedPids(stderr)).toHaveLength(3);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^svc-emulator: the command left processes running, which were stopped: \d+ \(sleep 1004\)\.$/m,
    );
    expect(stderr).toMatch(
      /^svc-emulator: the command started processes that still run: \d+ \(sleep 1003\), \d+ \(sleep 1003\)\.$/m,
    );
    expect(performance.now() - began).toBeLessThan(60_000);
  },
);

it.runIf(isLinux)(
  'names the processes that a command of check leaves, and stops them unless they have emptied their environment',
  async () => {
    const folder = folderOf({ 'shop.mjs': LEAVES });
    const line = ['check', '--only', 'lost_response', '--budget', '60s', '--', process.execPath, 'shop.mjs'];
    const { stderr } = await runCommand(line, {}, folder);

    const [stopped = ''] = /^Your command left processes running, which were stopped: .+/m.exec(stderr) ?? [];
    // `sleep 1004` is in the group of the command. `sleep 1003` is detached and keeps the output open.
    for (const name of ['(sleep 1004)', '(sleep 1003)']) expect(stopped).toContain(name);
    const daemons = /^Your command started processes that still run: (.+)\. Stop them in your tests\.$/m.exec(
      stderr,
    )?.[1];
    const ofDaemons = namedPids(daemons ?? '');
    expect(ofDaemons.length).toBeGreaterThan(0);
    expect(ofDaemons.every(isRunning)).toBe(true);
    const others = namedPids(stderr).filter((pid) => !ofDaemons.includes(pid));
    await expect.poll(() => others.filter(isRunning)).toEqual([]);
  },
);

it.runIf(isLinux)('does not name processes that exec did not start, or that an earlier command left', async () => {
  const next = spawn('setsid', ['sleep', '1003'], { stdio: 'ignore', env: {} });
  onTestFinished(() => void next.kill('SIGKILL'));
  const before = ['exec', '--', 'sh', '-c', DAEMON];
  expect(namedPids((await runToEnd(before, {}, emptyFolder())).stderr)).toHaveLength(1);
  const { stderr } = await runToEnd(['exec', '--', 'sh', '-c', 'exit 0']);
  expect(stderr).not.toContain('still run');
});
