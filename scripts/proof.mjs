// `npm run proof` runs the seeds that have not passed yet, and prints the state of the whole proof. It can be stopped at any
// time. `--part kill` runs one part, `--seed 7` one seed of it even if it has passed, and `--table` only prints.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = path.join(root, 'node_modules', '.cache', 'proof');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** What each part counts, and the number that completes it. */
const PARTS = {
  kill: ['kill -9 under a mixed load', 1000],
  stop: ['SIGTERM under a mixed load', 150],
  requests: ['mutated requests', 1_000_000],
  charges: ['parallel charges, 200 at once', 10_000],
  clock: ['moves of the clock', 1000],
  replace: ['resets and restores under load', 160],
  disk: ['writes at which the disk is full', 140],
};

const { values } = parseArgs({
  options: { part: { type: 'string' }, seed: { type: 'string' }, table: { type: 'boolean' } },
});
if (values.part !== undefined && !(values.part in PARTS)) {
  console.error(`--part must be one of ${Object.keys(PARTS).join(', ')}; got ${values.part}.`);
  process.exit(2);
}
if (values.seed !== undefined && (values.part === undefined || !/^[1-9]\d*$/.test(values.seed))) {
  console.error('--seed takes a whole number from 1 on, and goes with --part.');
  process.exit(2);
}

const status = values.table ? 0 : run();
const rows = Object.keys(PARTS).map(rowOf);
const failing = rows.flatMap(({ part, failed }) => failed.map((seed) => ({ part, seed })));
report();
process.exitCode = status === 0 && failing.length === 0 ? 0 : 1;

function run() {
  const env = { ...process.env, PROOF_PART: values.part ?? '', PROOF_SEED: values.seed ?? '' };
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', '--mode', 'proof', '--passWithNoTests'], {
    cwd: root,
    env,
    stdio: 'inherit',
  }).status;
}

/** The last result of each seed counts. A seed that failed and now passes is shown as fixed. */
function rowOf(part) {
  const file = path.join(folder, `${part}.jsonl`);
  const lines = existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  const last = new Map(lines.filter((line) => line.version === version).map((line) => [line.seed, line]));
  const held = [...last.values()].filter(({ fault }) => fault === undefined);
  const failed = [...last.values()].filter(({ fault }) => fault !== undefined).map(({ seed }) => seed);
  const fixed = new Set(
    lines.filter(({ seed, fault }) => fault && last.get(seed)?.fault === undefined).map(({ seed }) => seed),
  );
  const holds = held.map(({ figures }) => figures?.longest_hold_ms ?? 0);
  const [what, whole] = PARTS[part];
  return {
    ...{ part, what, whole, count: held.reduce((sum, { count }) => sum + count, 0), seeds: held.length },
    ...{ failed, fixed: fixed.size, minutes: Math.round(held.reduce((sum, { ms }) => sum + ms, 0) / 60_000) },
    longest_hold_ms: Math.max(0, ...holds),
  };
}

function report() {
  const table = [
    '| part | held | of | seeds | fixed | failing | minutes |',
    '| --- | ---: | ---: | ---: | ---: | --- | ---: |',
    ...rows.map(
      ({ what, count, whole, seeds, fixed, failed, minutes }) =>
        `| ${what} | ${count} | ${whole} | ${seeds} | ${fixed} | ${failed.join(', ') || '-'} | ${minutes} |`,
    ),
  ].join('\n');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'report.json'),
    `${JSON.stringify({ version, node: process.version, rows }, null, 2)}\n`,
  );
  console.log(`\nsvc-emulator ${version}, Node ${process.version}\n\n${table}`);
  const hold = rows.find(({ part }) => part === 'requests')?.longest_hold_ms;
  if (hold) console.log(`\nThe loop was held at most ${hold} ms among the mutated requests.`);
  for (const { part, seed } of failing)
    console.log(`\nFailed; again with: npm run proof -- --part ${part} --seed ${seed}`);
  console.log(`\nReport: ${path.relative(root, path.join(folder, 'report.json'))}`);
}
