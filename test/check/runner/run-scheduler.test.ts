import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { RunScheduler } from '../../../src/check/runner/run-scheduler.ts';
import type { RunClass } from '../../../src/check/runner/runner.ts';

/** A scheduler whose runs the test begins and ends. */
function taking(jobs: number) {
  const turns = new RunScheduler(jobs);
  const under = new Map<string, () => void>();
  const begin = (name: string, kind: RunClass = 'ordinary') =>
    void turns.take(kind, () => new Promise<void>((resolve) => under.set(name, resolve)));
  const end = async (name: string) => {
    under.get(name)?.();
    under.delete(name);
    await turn();
  };
  return { turns, begin, end, going: () => [...under.keys()].sort() };
}

it('runs at most two ordinary runs at once with --jobs 2, and also an urgent run and one whose clients mostly wait', async () => {
  const { begin, end, going } = taking(2);
  for (const name of ['a', 'b', 'c']) begin(name);
  begin('waits', 'waiting');
  begin('urgent', 'urgent');
  await turn();
  expect(going()).toEqual(['a', 'b', 'urgent', 'waits']);
  await end('a');
  expect(going()).toEqual(['b', 'c', 'urgent', 'waits']);
});

it('runs nothing alongside a run that must be undisturbed', async () => {
  const { begin, end, going } = taking(2);
  begin('a');
  begin('calm', 'calm');
  begin('b', 'urgent');
  await turn();
  expect(going()).toEqual(['a']);
  await end('a');
  expect(going()).toEqual(['calm']);
  await end('calm');
  expect(going()).toEqual(['b']);
});

it('runs one command at a time after two runs have interfered', async () => {
  const { turns, begin, end, going } = taking(2);
  turns.runOneAtATime();
  begin('a');
  begin('waits', 'waiting');
  await turn();
  expect(going()).toEqual(['a']);
  await end('a');
  expect(going()).toEqual(['waits']);
});
