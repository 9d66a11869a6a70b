import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { audioBench } from './audio-bench.ts';
import { type BenchRow, reaches } from './bench-row.ts';
import { busyBench } from './busy-bench.ts';
import { chatBench } from './chat-bench.ts';
import { CLIP_ORDERS, clipBench } from './clip-bench.ts';
import { controlBench } from './control-bench.ts';
import { costRow, dashboardBench, fullRows, lifeRows, startRows } from './dashboard-bench.ts';
import { exploreBench, suiteRow } from './explore-bench.ts';
import { firstRenderBench } from './first-render-bench.ts';
import { flowsBench } from './flows-bench.ts';
import { holdBench } from './hold-bench.ts';
import { journalBench } from './journal-bench.ts';
import { ledgerBench } from './ledger-bench.ts';
import { libraryBench } from './library-bench.ts';
import { memoryBench } from './memory-bench.ts';
import { movesBench } from './moves-bench.ts';
import { isolationRow, mutateBench, overheadRow, rateRow, timeRows, verdictRows } from './mutate-bench.ts';
import { packageBench } from './package-bench.ts';
import { pictureBench } from './picture-bench.ts';
import { memoryBenchOfClips, pictureRows, renderBench, rendererBench } from './render-bench.ts';
import { scaleBench } from './scale-bench.ts';
import { searchBench } from './search-bench.ts';
import { startBench } from './start-bench.ts';
import { storageBench } from './storage-bench.ts';
import { traceBench } from './trace-bench.ts';

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
  trace: traceBench,
  explore: exploreBench,
  mutate: mutateBench,
  scale: scaleBench,
};
/** What others are made of, for a measurement that takes less than a minute. */
const PARTS: Record<string, () => Promise<BenchRow[]>> = {
  'control-moves': movesBench,
  'explore-suite': async () => [await suiteRow()],
  'mutate-verdicts': verdictRows,
  'mutate-time': timeRows,
  'mutate-isolation': async () => [await isolationRow()],
  'mutate-rate': async () => [await rateRow()],
  'mutate-overhead': async () => [await overheadRow()],
  'package-journal': journalBench,
  'dashboard-start': startRows,
  'dashboard-life': lifeRows,
  'dashboard-full': fullRows,
  'dashboard-cost': async () => [await costRow()],
  'dashboard-search': searchBench,
  'render-pictures': pictureBench,
  'render-clips': () => clipBench(),
  ...Object.fromEntries(CLIP_ORDERS.map((order) => [`render-clip-${order.size.seconds}s`, () => clipBench([order])])),
  'render-alone': rendererBench,
  'render-picture': pictureRows,
  'render-first': firstRenderBench,
  'render-memory': async () => [await memoryBenchOfClips()],
};

/** Runs the benches named on the command line, or all, and prints their ratios; `--json FILE` keeps them too. */
const known = { ...BENCHES, ...PARTS };
const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const kept: (BenchRow & { bench: string; reached: boolean })[] = [];
for (const name of names) {
  const bench = known[name];
  if (!bench) throw new Error(`there is no bench "${name}"; there are ${Object.keys(known).join(', ')}`);
  for (const row of await bench()) {
    print(row);
    kept.push({ bench: name, ...row, reached: reaches(row) });
    if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine: machine(), rows: kept }, null, 2)}\n`);
  }
}

function machine() {
  const [{ model } = { model: '' }] = cpus();
  return { date: new Date().toISOString(), node: process.version, cores: cpus().length, model };
}

function print(row: BenchRow): void {
  const verdict = reaches(row) ? 'ok  ' : 'MISS';
  const figures = `${row.ours} against ${row.theirs}`;
  const spread = row.spread ? ` [${row.spread.map((each) => each.toFixed(2)).join(' to ')}]` : '';
  process.stdout.write(
    `${verdict} ${row.name.padEnd(62)} ${figures.padEnd(28)} ratio ${row.ratio.toFixed(2)}${spread} (bar ${row.bar})\n`,
  );
}
