import { audioBench } from './audio-bench.ts';
import { type BenchRow, reaches } from './bench-row.ts';
import { busyBench } from './busy-bench.ts';
import { chatBench } from './chat-bench.ts';
import { clipBench } from './clip-bench.ts';
import { controlBench } from './control-bench.ts';
import { costRow, dashboardBench, lifeRows, startRows } from './dashboard-bench.ts';
import { flowsBench } from './flows-bench.ts';
import { holdBench } from './hold-bench.ts';
import { journalBench } from './journal-bench.ts';
import { ledgerBench } from './ledger-bench.ts';
import { libraryBench } from './library-bench.ts';
import { memoryBench } from './memory-bench.ts';
import { movesBench } from './moves-bench.ts';
import { packageBench } from './package-bench.ts';
import { pictureBench } from './picture-bench.ts';
import { memoryBenchOfClips, renderBench, rendererBench } from './render-bench.ts';
import { startBench } from './start-bench.ts';
import { storageBench } from './storage-bench.ts';

const BENCHES: Record<string, () => Promise<BenchRow[]>> = {
  chat: chatBench,
  busy: busyBench,
  start: startBench,
  memory: memoryBench,
  render: renderBench,
  storage: storageBench,
  ledger: ledgerBench,
  flows: flowsBench,
  control: controlBench,
  dashboard: dashboardBench,
  library: libraryBench,
  audio: audioBench,
  package: packageBench,
  hold: holdBench,
};
/** What others are made of, for a measurement that takes less than a minute. */
const PARTS: Record<string, () => Promise<BenchRow[]>> = {
  'control-moves': movesBench,
  'package-journal': journalBench,
  'dashboard-start': startRows,
  'dashboard-life': lifeRows,
  'dashboard-cost': async () => [await costRow()],
  'render-pictures': pictureBench,
  'render-clips': clipBench,
  'render-alone': rendererBench,
  'render-memory': async () => [await memoryBenchOfClips()],
};

/** Runs the benches named on the command line, or all, and prints their ratios. */
const known = { ...BENCHES, ...PARTS };
const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(BENCHES);
for (const name of names) {
  const bench = known[name];
  if (!bench) throw new Error(`there is no bench "${name}"; there are ${Object.keys(known).join(', ')}`);
  for (const row of await bench()) print(row);
}

function print(row: BenchRow): void {
  const verdict = reaches(row) ? 'ok  ' : 'MISS';
  const figures = `${row.ours} against ${row.theirs}`;
  process.stdout.write(
    `${verdict} ${row.name.padEnd(52)} ${figures.padEnd(28)} ratio ${row.ratio.toFixed(2)} (bar ${row.bar})\n`,
  );
}
