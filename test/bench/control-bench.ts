import type { BenchRow } from './bench-row.ts';
import { fixtureBench } from './fixture-bench.ts';
import { matchBench } from './match-bench.ts';
import { snapshotsBench } from './snapshots-bench.ts';

/** What tests ask of the control surface. */
export async function controlBench(): Promise<BenchRow[]> {
  return [...(await matchBench()), ...(await fixtureBench()), ...(await snapshotsBench())];
}
