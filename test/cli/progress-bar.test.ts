import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ProgressCallback, withProgress } from '../../src/cli/terminal-output.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A piece of work that ends when it is told to, and what a terminal shows meanwhile. */
function begin(terminal: { isTTY: boolean; columns?: number }) {
  const shown: string[] = [];
  let end = (_: string) => {};
  let tell: ProgressCallback = () => {};
  const work = (progress: ProgressCallback) => {
    tell = progress;
    return new Promise<string>((resolve) => {
      end = resolve;
    });
  };
  const write = (text: string) => shown.push(text.replace('\r\u001b[K', '<clear>'));
  const done = withProgress('loading', work, { ...terminal, write });
  return {
    shown,
    done,
    end: (value: string) => end(value),
    tell: (a: number, b: number) => tell(a, b),
  };
}

it('shows no progress for work under a second', async () => {
  const { shown, done, end } = begin({ isTTY: true });
  vi.advanceTimersByTime(950);
  end('made');
  expect(await done).toBe('made');
  expect(shown).toEqual([]);
});

it('shows the progress of longer work in a terminal, and removes the bar at the end', async () => {
  const { shown, done, end, tell } = begin({ isTTY: true });
  vi.advanceTimersByTime(1000);
  expect(shown).toEqual(['<clear>loading [          ====          ] 1 s']);
  tell(6, 12);
  vi.advanceTimersByTime(1000);
  expect(shown.at(-1)).toBe('<clear>loading [============            ] 2 s');
  end('made');
  await done;
  expect(shown.at(-1)).toBe('<clear>');
});

it('fits the progress bar into a narrow terminal, and prints nothing without a terminal', async () => {
  const narrow = begin({ isTTY: true, columns: 12 });
  const none = begin({ isTTY: false });
  vi.advanceTimersByTime(1500);
  expect(narrow.shown.at(-1)).toBe('<clear>loading [  ');
  for (const { done, end } of [narrow, none]) {
    end('made');
    await done;
  }
  expect(none.shown).toEqual([]);
});
