import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Clock } from '../../../src/base/clock/clock.ts';
import { isStarved, Pace } from '../../../src/check/runner/pace.ts';
import type { Rank, Standstill } from '../../../src/check/runner/runner.ts';

/** A machine whose time goes on by hand, and whose timers may come late. */
class Machine implements Clock {
  readonly frozen = false;
  #time = 1000;
  #timers: { at: number; task: () => void }[] = [];

  now(): number {
    return this.#time;
  }

  real(): number {
    return this.#time;
  }

  at(): () => void {
    throw new Error('Nobody waits for the time of an emulator here.');
  }

  after(milliseconds: number, task: () => void): () => void {
    const timer = { at: this.#time + milliseconds, task };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  /** Lets time pass in which nothing is done, then does what is due. */
  async pass(milliseconds: number): Promise<void> {
    this.#time += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#time);
    this.#timers = this.#timers.filter((each) => !due.includes(each));
    for (const { task } of due) task();
    await turn();
  }
}

/** Work that begins and ends by hand. */
function pacing(most: number) {
  const machine = new Machine();
  const over = new AbortController();
  const pace = new Pace(machine, most, over.signal);
  const under = new Map<string, () => void>();
  const begin = (name: string, rank: Rank = 'new'): Promise<Standstill> =>
    pace.go({ rank }, async (standstill) => {
      await new Promise<void>((resolve) => under.set(name, resolve));
      under.delete(name);
      return standstill;
    });
  const end = async (name: string) => {
    under.get(name)?.();
    await turn();
  };
  const looks = async (times: number) => {
    for (let left = times; left > 0; left -= 1) await machine.pass(25);
  };
  return { machine, over, begin, end, looks, going: () => [...under.keys()].sort() };
}

it('lets so many go on at once, and what was begun before what is new', async () => {
  const { begin, end, looks, going } = pacing(2);
  for (const name of ['a', 'b', 'c']) void begin(name);
  void begin('again', 'next');
  await looks(4);
  expect(going()).toEqual(['a', 'b']);
  // Of those who wait, what goes on with something is ahead.
  await end('a');
  expect(going()).toEqual(['again', 'b']);
  await end('b');
  expect(going()).toEqual(['again', 'c']);
});

it('begins nothing new while the process does not keep up, and goes on when it does', async () => {
  const { begin, end, looks, machine, going } = pacing(8);
  void begin('a');
  await machine.pass(2025);
  void begin('b');
  await looks(3);
  expect(going()).toEqual(['a']);
  await looks(25);
  expect(going()).toEqual(['a', 'b']);
  // Where nothing goes on there is nobody to wait for.
  await machine.pass(2000);
  await end('a');
  await end('b');
  void begin('c');
  await looks(1);
  expect(going()).toEqual(['c']);
});

it('runs few others next to a run that needs calm', async () => {
  const { begin, end, looks, going } = pacing(8);
  for (const name of ['a', 'b', 'c', 'd', 'e']) void begin(name);
  void begin('calm', 'calm');
  void begin('f');
  await looks(4);
  expect(going()).toEqual(['a', 'b', 'c', 'd', 'e']);
  await end('a');
  expect(going()).toEqual(['b', 'c', 'd', 'e']);
  await end('b');
  expect(going()).toEqual(['c', 'calm', 'd', 'e']);
  await looks(4);
  expect(going()).toEqual(['c', 'calm', 'd', 'e']);
  await end('calm');
  expect(going()).toEqual(['c', 'd', 'e', 'f']);
});

it('tells how long the process stood still while something went on, and not what was before', async () => {
  const { begin, end, looks, machine } = pacing(4);
  const first = begin('a');
  await looks(2);
  await machine.pass(25 + 300);
  const second = begin('b');
  await looks(30);
  await machine.pass(25 + 80);
  await end('a');
  await end('b');
  expect(await first).toEqual({ sum: 380, worst: 300 });
  expect(await second).toEqual({ sum: 80, worst: 80 });
});

it('lets everybody in who was told to stop, so that each can end', async () => {
  const { begin, looks, over, going } = pacing(1);
  for (const name of ['a', 'b', 'c']) void begin(name);
  await looks(2);
  expect(going()).toEqual(['a']);
  over.abort();
  await looks(3);
  expect(going()).toEqual(['a', 'b', 'c']);
});

it.each([
  ['a short one', { sum: 100, worst: 60 }, undefined, false],
  ['one at once', { sum: 300, worst: 800 }, undefined, true],
  ['many in all', { sum: 500, worst: 60 }, undefined, true],
  ['what the story does to itself in its plain run too', { sum: 900, worst: 800 }, { sum: 900, worst: 780 }, false],
])('takes a run for starved by its standstill: %s', (_name, standstill, usual, expected) => {
  const run = (each?: Standstill) => ({ began: 0, ended: 1000, ...(each ? { standstill: each } : {}) });
  expect(isStarved(run(standstill), [run(usual)])).toBe(expected);
});
