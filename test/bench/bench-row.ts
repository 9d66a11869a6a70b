/** A printed row of the bench: our figure, the figure to compare it with, and their ratio. */
export interface BenchRow {
  name: string;
  ours: string;
  theirs: string;
  /** `ours` divided by `theirs`; in some rows a time in milliseconds. */
  ratio: number;
  /** The lowest and the highest ratio of the rounds. */
  spread?: readonly [number, number];
  /** The bar for `ratio`, such as `>= 2` or `<= 1.5`. */
  bar: string;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function reaches({ ratio, bar }: BenchRow): boolean {
  const [sign, number] = bar.split(' ');
  return sign === '>=' ? ratio >= Number(number) : ratio <= Number(number);
}

/** Two figures of the same unit, and the bar for their ratio. */
interface Figures {
  ours: number;
  theirs: number;
  bar: string;
  /** Text after both figures; it begins with a space. */
  unit?: string;
  digits?: number;
}

export function against(name: string, { ours, theirs, bar, unit = '', digits = 0 }: Figures): BenchRow {
  const figure = (value: number) => `${value.toFixed(digits)}${unit}`;
  return { name, ours: figure(ours), theirs: figure(theirs), ratio: ours / theirs, bar };
}

export function atMost(name: string, measured: number, most: number, digits = 1): BenchRow {
  return { name, ours: measured.toFixed(digits), theirs: `at most ${most}`, ratio: measured / most, bar: '<= 1' };
}

/** Returns milliseconds. */
export async function timed(act: () => unknown): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

/** The results of some rounds, or one result per item. They run one after the other. */
export async function each<T>(rounds: number, act: (round: number) => Promise<T>): Promise<T[]>;
export async function each<Item, T>(items: readonly Item[], act: (item: Item) => Promise<T>): Promise<T[]>;
export async function each(items: number | readonly unknown[], act: (item: never) => Promise<unknown>) {
  const found: unknown[] = [];
  for (const item of typeof items === 'number' ? Array(items).keys() : items) found.push(await act(item as never));
  return found;
}

type Acts<Name extends string, T> = Record<Name, (round: number) => T>;

/** Runs every act in each round. The `warm` rounds come first, have numbers below 0, and are not in the result. */
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

/** The median of each act over the rounds: of the number that it returns, or else of its time in milliseconds. */
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

/** The median time of the rounds in milliseconds, after one warm-up round. */
export async function medianTime(rounds: number, act: (round: number) => unknown): Promise<number> {
  return (await medians({ act }, rounds)).act;
}
