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

/** Two figures of one unit, and what the first divided by the second has to reach. */
interface Figures {
  ours: number;
  theirs: number;
  bar: string;
  /** Written behind both, with its space. */
  unit?: string;
  digits?: number;
}

export function against(name: string, { ours, theirs, bar, unit = '', digits = 0 }: Figures): BenchRow {
  const figure = (value: number) => `${value.toFixed(digits)}${unit}`;
  return { name, ours: figure(ours), theirs: figure(theirs), ratio: ours / theirs, bar };
}

/** A figure against the most that it may be. */
export function atMost(name: string, measured: number, most: number, digits = 1): BenchRow {
  return { name, ours: measured.toFixed(digits), theirs: `at most ${most}`, ratio: measured / most, bar: '<= 1' };
}

/** Milliseconds. */
export async function timed(act: () => unknown): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

/** What some rounds come to, or each of some things, one after the other. */
export async function each<T>(rounds: number, act: (round: number) => Promise<T>): Promise<T[]>;
export async function each<Item, T>(items: readonly Item[], act: (item: Item) => Promise<T>): Promise<T[]>;
export async function each(items: number | readonly unknown[], act: (item: never) => Promise<unknown>) {
  const found: unknown[] = [];
  for (const item of typeof items === 'number' ? Array(items).keys() : items) found.push(await act(item as never));
  return found;
}

type Acts<Name extends string, T> = Record<Name, (round: number) => T>;

/** What all acts come to in each round, in which they take turns, after `warm` rounds that are numbered below 0. */
export async function inTurns<Name extends string, T>(
  acts: Acts<Name, T>,
  rounds: number,
  warm = 1,
): Promise<Record<Name, Awaited<T>>[]> {
  const found: Record<Name, Awaited<T>>[] = [];
  for (let round = -warm; round < rounds; round += 1) {
    const figures: Partial<Record<Name, Awaited<T>>> = {};
    for (const name of Object.keys(acts) as Name[]) figures[name] = await acts[name](round);
    if (round >= 0) found.push(figures as Record<Name, Awaited<T>>);
  }
  return found;
}

/** The medians of such rounds: of the figure that an act answers or, where it answers none, of its time in milliseconds. */
export async function medians<Name extends string>(
  acts: Acts<Name, unknown>,
  rounds: number,
  warm = 1,
): Promise<Record<Name, number>> {
  const names = Object.keys(acts) as Name[];
  const measured = (name: Name) => async (round: number) => {
    const started = performance.now();
    const figure = await acts[name](round);
    return typeof figure === 'number' ? figure : performance.now() - started;
  };
  const turns = Object.fromEntries(names.map((name) => [name, measured(name)])) as Acts<Name, Promise<number>>;
  const found = await inTurns(turns, rounds, warm);
  const entries = names.map((name) => [name, median(found.map((round) => round[name]))]);
  return Object.fromEntries(entries) as Record<Name, number>;
}

/** The median of some rounds, in milliseconds, after one that warms up. */
export async function medianTime(rounds: number, act: (round: number) => unknown): Promise<number> {
  return (await medians({ act }, rounds)).act;
}
