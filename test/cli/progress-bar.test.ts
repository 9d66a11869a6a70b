import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ProgressCallback, withProgress } from '../../src/cli/terminal-output.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A piece of work that ends when it is told to, and what a terminal shows meanwhile. */
function begin(terminal: { isTTY: boolean; columns?: number }) {
  const shown: string[] = [];
  let tell: ProgressCallback = () => {};
  let end = (_: string) => {};
  const work = (progress: ProgressCallback) => {
    tell = progress;
    return new Promise<string>((resolve) => {
      end = resolve;
    });
  };
  const write = (text: string) => shown.push(text.replace('\r\u001b[K', '<clear>'));
  const done = withProgress('loading', work, { ...terminal, write });
  return { shown, done, end, tell };
}

it('shows the progress of work in a terminal after a second, and removes the bar at the end', async () => {
  const { shown, done, end, tell } = begin({ isTTY: true });
  vi.advanceTimersByTime(950);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(shown).toEqual(['<clear>loading [          ====          ] 1 s']);
  tell(6, 12);
  vi.advanceTimersByTime(1000);
  expect(shown.at(-1)).toBe('<clear>loading [============            ] 2 s');
  end('made');
  expect(await done).toBe('made');
  expect(shown.at(-1)).toBe('<clear>');
});

it('fits the progress bar into a narrow terminal, and prints nothing without a terminal', () => {
  const narrow = begin({ isTTY: true, columns: 12 });
  const none = begin({ isTTY: false });
  vi.advanceTimersByTime(1500);
  expect([narrow.shown.at(-1), none.shown]).toEqual(['<clear>loading [  ', []]);
});
