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

/** A figure against the least that it has to be. */
export function atLeast(name: string, measured: number, least: number, digits = 1): BenchRow {
  return { name, ours: measured.toFixed(digits), theirs: String(least), ratio: measured / least, bar: '>= 1' };
}

export function timesFaster(name: string, bar: number, { ours, theirs }: { ours: number; theirs: number }): BenchRow {
  const row = against(`${name}: times faster`, { ours, theirs, bar: `>= ${bar.toFixed(2)}`, unit: ' ms', digits: 1 });
  return { ...row, ratio: theirs / ours };
}

type Act = (round: number) => unknown;

/** Milliseconds. */
export async function timed(act: () => unknown): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

/** The median of some rounds, in milliseconds, after one that warms up. */
export async function medianTime(rounds: number, act: Act): Promise<number> {
  const [, ...times] = await each(rounds + 1, (round) => timed(() => act(round)));
  return median(times);
}

/** What some rounds come to, one after the other. */
export async function each<T>(rounds: number, act: (round: number) => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let round = 0; round < rounds; round += 1) found.push(await act(round));
  return found;
}

/** What both come to in interleaved rounds, after one that warms up. */
export async function inTurns(
  rounds: number,
  { ours, theirs }: { ours: Act; theirs: Act },
): Promise<{ ours: number[]; theirs: number[] }> {
  const pairs = await each(rounds + 1, async (round) => [Number(await ours(round)), Number(await theirs(round))]);
  const counted = pairs.slice(1);
  return { ours: counted.map(([one = 0]) => one), theirs: counted.map(([, other = 0]) => other) };
}

/** Both sides are warmed up by `warm` rounds (the other by fewer, where a program of its own needs no more), then measured in turn. */
export interface Contest {
  name: string;
  bar: number;
  warm: number;
  warmTheirs?: number;
  rounds: number;
  ours: (round: number) => Promise<unknown>;
  theirs: (round: number) => Promise<unknown>;
}

export async function held(contests: readonly Contest[]): Promise<BenchRow[]> {
  return each(contests.length, (at) => hold(contests[at] as Contest));
}

async function hold({ name, bar, warm, warmTheirs = warm, rounds, ours, theirs }: Contest): Promise<BenchRow> {
  const times = { ours: [] as number[], theirs: [] as number[] };
  for (let round = -warm; round < rounds; round++) {
    const one = await timed(() => ours(round));
    if (round < -warmTheirs) continue;
    const other = await timed(() => theirs(round));
    if (round < 0) continue;
    times.ours.push(one);
    times.theirs.push(other);
  }
  return timesFaster(name, bar, { ours: median(times.ours), theirs: median(times.theirs) });
}
