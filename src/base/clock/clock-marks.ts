/** The part of a clock that survives a restart. `offset` is the difference to the machine's time, in milliseconds. */
export interface ClockState {
  offset: number;
  frozenAt: number | null;
}

export type KeepState = (state: ClockState) => Promise<unknown>;

/** The emulator's time at one moment of the machine's time (`real`), both in milliseconds. */
export interface ClockMark {
  real: number;
  now: number;
  runs: boolean;
}

const MOST_MARKS = 1000;

export function withMark(marks: readonly ClockMark[], mark: ClockMark): ClockMark[] {
  const before = marks.at(-1)?.real === mark.real ? marks.slice(0, -1) : marks;
  return [...before, mark].slice(-MOST_MARKS);
}

/**
 * Converts emulated to machine time (milliseconds). A skipped time becomes the moment of the move, a frozen one its
 * start.
 */
export function realTimeOf(marks: readonly ClockMark[], emulated: number, notBefore: number): number {
  const from = Math.max(
    0,
    marks.findLastIndex(({ real }) => real <= notBefore),
  );
  const rest = marks.slice(from);
  for (const [at, mark] of rest.entries()) {
    const next = rest[at + 1]?.real ?? Number.POSITIVE_INFINITY;
    const end = mark.runs ? mark.now + (next - mark.real) : mark.now;
    if (emulated > end) continue;
    const within = mark.runs ? mark.real + (emulated - mark.now) : mark.real;
    return Math.max(notBefore, Math.min(Math.max(within, mark.real), next));
  }
  return Math.max(notBefore, rest.at(-1)?.real ?? emulated);
}
