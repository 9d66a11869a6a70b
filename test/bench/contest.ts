import { type BenchRow, median } from './bench-row.ts';

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

export async function held(contests: Contest[]): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const contest of contests) rows.push(await hold(contest));
  return rows;
}

async function hold(contest: Contest): Promise<BenchRow> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -contest.warm; round < contest.rounds; round++) {
    const one = await timed(() => contest.ours(round));
    if (round < -(contest.warmTheirs ?? contest.warm)) continue;
    const other = await timed(() => contest.theirs(round));
    if (round < 0) continue;
    ours.push(one);
    theirs.push(other);
  }
  const { name, bar } = contest;
  return timesFaster(name, bar, { ours: median(ours), theirs: median(theirs) });
}

/** Milliseconds. */
export async function timed(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

export function timesFaster(name: string, bar: number, { ours, theirs }: { ours: number; theirs: number }): BenchRow {
  return {
    name: `${name}: times faster`,
    ours: `${ours.toFixed(1)} ms`,
    theirs: `${theirs.toFixed(1)} ms`,
    ratio: theirs / ours,
    bar: `>= ${bar.toFixed(2)}`,
  };
}
