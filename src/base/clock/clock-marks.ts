/** The state of a clock that is stored for a restart. */
export interface ClockState {
  /** Added to the machine's time while the clock runs. */
  offset: number;
  /** The time at which it is frozen, or null while it runs. */
  frozenAt: number | null;
}

/** Stores the state of the clock for a restart. */
export type KeepState = (state: ClockState) => Promise<unknown>;

/** At `real` (the machine's milliseconds) the emulator's clock showed `now`, and ran or was frozen. */
export interface ClockMark {
  real: number;
  now: number;
  runs: boolean;
}

/** The most marks that are remembered. */
const MOST_MARKS = 1000;

/** The marks with one more, which replaces another of the same moment. */
export function withMark(marks: readonly ClockMark[], mark: ClockMark): ClockMark[] {
  const before = marks.at(-1)?.real === mark.real ? marks.slice(0, -1) : marks;
  return [...before, mark].slice(-MOST_MARKS);
}

/**
 * What the machine's clock showed when the emulator's showed `emulated`, not before `notBefore`: both in milliseconds.
 * A time that a move skipped is the moment of the move; one at which the clock was frozen is the earliest possible.
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
