import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchRow, reaches } from './bench-row.ts';
import { chatBench } from './chat-bench.ts';
import { holdBench } from './hold-bench.ts';
import { memoryBench } from './memory-bench.ts';
import { scaleBench } from './scale-bench.ts';
import { startBench } from './start-bench.ts';
import { suiteBench } from './suite-bench.ts';

type Bench = () => Promise<BenchRow[]>;

const BENCHES: Record<string, Bench> = {
  chat: chatBench,
  start: startBench,
  memory: memoryBench,
  hold: holdBench,
  scale: scaleBench,
  suite: suiteBench,
};

/** Runs the benches named on the command line, or all, and prints their ratios. `--json FILE` also writes them to a file. */
const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true });
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const kept: (BenchRow & { bench: string; reached: boolean })[] = [];
for (const name of names) {
  const bench = BENCHES[name];
  if (!bench) throw new Error(`there is no bench "${name}"; there are ${Object.keys(BENCHES).join(', ')}`);
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
