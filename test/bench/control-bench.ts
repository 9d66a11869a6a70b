import type { BenchRow } from './bench-row.ts';
import { snapshotsBench } from './snapshots-bench.ts';

/** What tests ask of the control surface. */
export async function controlBench(): Promise<BenchRow[]> {
  return [...(await snapshotsBench())];
}
