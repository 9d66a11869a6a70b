/** One line of the bench: ours against the plain way, measured in one run. */
export interface BenchRow {
  name: string;
  ours: string;
  theirs: string;
  /** How many times better we are (or how many times theirs, as `name` says). */
  ratio: number;
  /** The least and the greatest ratio of the rounds, where there were several. */
  spread?: readonly [number, number];
  /** What `ratio` has to reach: `>= 2`, `<= 1.5`. */
  bar: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Whether a row reaches its bar. */
export function reaches({ ratio, bar }: BenchRow): boolean {
  const [sign, number] = bar.split(' ');
  return sign === '>=' ? ratio >= Number(number) : ratio <= Number(number);
}

/** A figure against the most that it may be. */
export function atMost(name: string, measured: number, most: number, digits = 1): BenchRow {
  const theirs = `at most ${most}`;
  return { name, ours: measured.toFixed(digits), theirs, ratio: measured / most, bar: '<= 1' };
}
