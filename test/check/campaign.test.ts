import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { waitRealTime } from '../../src/base/clock/clock.ts';
import { VirtualClock } from '../../src/base/clock/virtual-clock.ts';
import { check } from '../../src/check/check.ts';
import { CheckResults } from '../../src/check/results.ts';
import { CommandRunner } from '../../src/check/runner/command-runner.ts';
import type { ArmingTarget, Run, Runner, RunTask } from '../../src/check/runner/runner.ts';
import { parseCheckSettings } from '../../src/check/settings.ts';
import { ControlConnection } from '../../src/control/control-connection.ts';
import { world } from '../support/world.ts';
import { BROKE, madeRequest, madeRun } from './faults/made-run.ts';

const BUDGET_MS = 10_000;

/** Runs `check` with a runner that the test provides. */
function checkWith(runner: Runner, clock: VirtualClock, { budget = BUDGET_MS, warn = (_: string) => {} } = {}) {
  const settings = parseCheckSettings({ budget }, { jobs: 1, version: '0.1.0' });
  const signal = new AbortController().signal;
  const options = { settings, saved: [], jobs: 1, version: '0.1.0', signal, mask: (text: string) => text, warn };
  return check(options, runner, clock, new CheckResults());
}

/** A runner whose clock moves only during runs. Each run lasts `ms`, and `fails` decides whether it fails. */
class SteadyWorld implements Runner {
  readonly hasApp = false;
  readonly hasAssert = false;
  readonly tasks: RunTask[] = [];
  readonly clock: VirtualClock;
  now = 1_000_000;
  readonly #ms: number;
  readonly #fails: (isDisturbed: boolean) => boolean;

  constructor(ms: number, fails: (isDisturbed: boolean) => boolean) {
    this.#ms = ms;
    this.#fails = fails;
    this.clock = new VirtualClock();
    this.clock.real = () => this.now;
  }

  async run(task: RunTask): Promise<Run> {
    this.tasks.push(task);
    const made: string[] = [];
    const control = async (name: string) => {
      made.push(name);
      return { id: 'made', data: [] };
    };
    const armed = await task.arm?.({ context: { control }, app: undefined } as unknown as ArmingTarget);
    await armed?.end();
    const began = this.now;
    this.now += this.#ms;
    const requests = [1, 2, 3].map((n) =>
      madeRequest({
        id: `req_${n}`,
        received_at: new Date(began + n * 10).toISOString(),
        request: `{"messages":[{"role":"user","content":"line ${n}"}]}`,
      }),
    );
    const failure = this.#fails(made.includes('createFault') && this.tasks.length > 3) ? BROKE : undefined;
    return madeRun({ record: { requests }, failure, began, ended: this.now, ms: this.#ms });
  }

  runOneAtATime(): void {}

  async close(): Promise<void> {}
}

it.each([
  // The command fails only in the first run with a fault, in which every request fails.
  ['95% to 100% of a budget of 240 s if no fault makes tests fail', 2000, [true], 240_000, 228_000],
  ['86% to 100% of a budget of 10 s if every fault makes tests fail', 400, Array(99).fill(true), BUDGET_MS, 8600],
])(
  'spends its --budget on runs as follows: %s; limits each run after the fourth to ten times the duration of the baseline run plus 30 s',
  async (_, ms, failing, budget, least) => {
    const steady = new SteadyWorld(ms, (isDisturbed) => isDisturbed && failing.pop() === true);
    const began = steady.now;
    await checkWith(steady, steady.clock, { budget });
    expect(steady.now - began).toBeGreaterThan(least);
    expect(steady.now - began).toBeLessThanOrEqual(budget);
    expect(new Set(steady.tasks.slice(4).map(({ limitMs }) => limitMs))).toEqual(new Set([10 * ms + 30_000]));
  },
);

/** A runner of the given commands, on an emulator of its own. */
async function commandRunner(clock: VirtualClock, commands: { tests: string; assert?: string }) {
  const emulator = await world();
  const { body: account } = await emulator.control('POST', '/accounts', {});
  const running = new CommandRunner({
    ...{ clock, jobs: 1, sharesPort: false, warn: () => {}, signal: new AbortController().signal },
    commands: { env: process.env, start: undefined, ready: undefined, assert: undefined, ...commands },
    openEmulator: async () => ({
      ...{ url: emulator.url, key: account.api_key, close: async () => {}, spend: () => [], isReset: () => false },
      control: new ControlConnection(emulator.url).transport,
    }),
  });
  onTestFinished(() => running.close());
  return running;
}

/** A clock whose delays are shorter by the factor `times`. */
function fasterClock(times: number): VirtualClock {
  const clock = new VirtualClock();
  const after = clock.after.bind(clock);
  clock.after = (ms, ...rest) => after(ms / times, ...rest);
  return clock;
}

it('reports a hang if a run does not end, and stops the process that it left in the background', async () => {
  let leave = () => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const listening = createServer((socket) => socket.on('close', leave).on('error', () => undefined));
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  // The time limit starts at the connection, so a slow start of the shells does not matter.
  const connected = once(listening, 'connection');
  const clock = new VirtualClock();
  const after = clock.after.bind(clock);
  clock.after = (...args) => {
    const planned = connected.then(() => after(...args));
    return () => void planned.then((cancel) => cancel());
  };
  const tests = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}; sleep 600' & sleep 600`;
  const running = await commandRunner(clock, { tests });
  const { failure } = await running.run({ limitMs: 100 });
  expect(failure).toMatchObject({ kind: 'hang' });
  // The background process has closed its connection.
  await left;
  listening.close();
});

it.each([
  ['did not end', 'sleep 600', 'did not end within 20 s and was stopped', 20],
  ['was killed', 'kill -9 $$', 'was ended by SIGKILL', 1],
])('reports that the command of --assert %s', async (_, assert, how, times) => {
  const running = await commandRunner(fasterClock(times), { tests: 'true', assert });
  const { check } = await running.run({});
  expect(check).toContain(`--assert ${how}`);
});

it('reports after 10 s that the baseline run continues, and limits it to 18 s of a budget of 20 s', async () => {
  const clock = fasterClock(100);
  const steady = new SteadyWorld(400, () => false);
  const limits: unknown[] = [];
  const endless = Object.assign(new SteadyWorld(400, () => false), {
    async run(task: RunTask): Promise<Run> {
      limits.push(task.limitMs);
      await waitRealTime(clock, task.limitMs ?? 0);
      return { ...(await steady.run(task)), failure: { kind: 'hang', message: '' }, output: 'Waiting for a song.' };
    },
  });
  const warned: string[] = [];
  const checked = checkWith(endless, clock, { budget: 20_000, warn: (message) => void warned.push(message) });
  await expect(checked).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(
      /^The first run of your command did not end within 18 seconds\..*\nWaiting for a song\.$/,
    ),
  });
  expect(limits).toEqual([18_000]);
  expect(warned).toEqual([
    'The first run of your command has lasted 10 s. check waits for its end, for at most 18 s (--budget).',
  ]);
});
