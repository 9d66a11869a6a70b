import type { BenchRow } from './bench-row.ts';
import { fixtureBench } from './fixture-bench.ts';
import { matchBench } from './match-bench.ts';
import { movesBench } from './moves-bench.ts';
import { snapshotsBench } from './snapshots-bench.ts';

/** What tests ask of the control surface. */
export async function controlBench(): Promise<BenchRow[]> {
  const rows = [];
  for (const bench of [matchBench, fixtureBench, movesBench, snapshotsBench]) {
    rows.push(...(await bench()));
  }
  return rows;
}
