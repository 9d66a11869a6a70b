import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { benchFolder } from './bench-folder.ts';
import type { BenchRow } from './bench-row.ts';

const SUITE = path.resolve('test/bench/explored-suite.mjs');
const SONG = path.resolve('test/bench/explored-song.mjs');
/** An app that listens a tenth of a second after it was started. */
const APP =
  "setTimeout(() => require('node:http').createServer((_, answer) => answer.end()).listen(process.env.PORT), 60)";
/** What lengthens no story: the rest waits for seconds of real time, as the story under it does. */
const QUICK = [
  'duplicate',
  'twin',
  'reorder',
  'resent',
  'instant',
  'spelled',
  'take_fails',
  'fails',
  'lost_request',
  'lost_answer',
  'status:500',
];

/** How many schedules a second the function form, the command form and one with an app run, and what they take of memory. */
export async function exploreBench(): Promise<BenchRow[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SONG, 'function', '200']);
  const { run, seconds } = JSON.parse(stdout);
  const rate = run / seconds;
  const share = await commandShare();
  const started = await commandForm('30s', ['--start', `node -e "${APP}"`]);
  const { memory } = await commandForm('30s', [], { isWatched: true });
  const suite = await suiteRow();
  return [
    {
      name: 'explore, function form: schedules a second',
      ours: `${rate.toFixed(1)}`,
      theirs: '20',
      ratio: rate / 20,
      bar: '>= 1',
    },
    {
      name: 'explore, command form: of plain.ms a schedule and job',
      ours: share.toFixed(2),
      theirs: '1',
      ratio: share,
      bar: '<= 1.3',
    },
    {
      ...{
        name: 'explore --start: schedules a second',
        ours: (started.runs / started.seconds).toFixed(1),
        theirs: '4',
      },
      ...{ ratio: started.runs / started.seconds / 4, bar: '>= 1' },
    },
    {
      ...{ name: 'explore, command form: MiB with two jobs', ours: memory.toFixed(0), theirs: '350' },
      ...{ ratio: memory / 350, bar: '<= 1' },
    },
    suite,
  ];
}

const JOBS = 2;

/** How many schedules a minute of a suite of 30 tests with fixtures, from when its plain runs are made. */
export async function suiteRow(): Promise<BenchRow> {
  const folder = benchFolder();
  const report = path.join(folder, 'found.json');
  const search = ['--jobs', String(JOBS), '--no-saved', '--report', report, '--', process.execPath, '--test', SUITE];
  const rates: number[] = [];
  for (const budget of ['20s', '60s']) {
    const words = ['dist/main.js', 'explore', '--budget', budget, ...search];
    const child = spawn(process.execPath, words, { stdio: 'ignore' });
    await new Promise((resolve) => child.once('close', resolve));
    const { schedules_run: runs, seconds } = JSON.parse(readFileSync(report, 'utf8'));
    rates.push(runs, seconds);
  }
  await rm(folder, { recursive: true, force: true });
  const [early = 0, began = 0, all = 0, ended = 0] = rates;
  const rate = (60 * (all - early)) / (ended - began);
  return {
    ...{ name: 'explore, a suite of 30 tests with fixtures: schedules a minute', ours: rate.toFixed(0), theirs: '500' },
    ...{ ratio: rate / 500, bar: '>= 1' },
  };
}

const [SHORT, LONG] = ['8s', '25s'];
const ROUNDS = 3;

/**
 * Of its plain run what a schedule takes each story that goes on at the same time. What comes before the first schedules is
 * in every search: a short one tells what to take off. The machine's speed changes by the minute, and a plain run is a
 * fifth of a second of it: short and long ones in turn, and the plain runs of all of them, make up for that.
 */
async function commandShare(): Promise<number> {
  const short = [await commandForm(SHORT, [])];
  const long: typeof short = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    long.push(await commandForm(LONG, []));
    short.push(await commandForm(SHORT, []));
  }
  const gained = (name: 'seconds' | 'runs') =>
    mean(long.map((each) => each[name])) - mean(short.map((each) => each[name]));
  return (gained('seconds') * 1000 * JOBS) / (gained('runs') * mean([...short, ...long].map(({ ms }) => ms)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Explores the song as a command; a watched one tells of the memory of what is not the story's, and is slowed by that. */
async function commandForm(budget: string, options: readonly string[], { isWatched = false } = {}) {
  const folder = benchFolder();
  const report = path.join(folder, 'found.json');
  const only = QUICK.flatMap((kind) => ['--only', kind]);
  const search = ['--jobs', String(JOBS), '--budget', budget, '--bound', '3', '--no-saved', '--expect-failure', '*'];
  const words = ['dist/main.js', 'explore', ...search, ...only, ...options, '--report', report, '--', 'node', SONG];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  let memory = 0;
  const look = () => {
    memory = Math.max(memory, residentOf(child.pid ?? 0));
  };
  const timer = isWatched ? setInterval(look, 100) : undefined;
  await new Promise((resolve) => child.once('close', resolve));
  clearInterval(timer);
  const { plain, schedules_run: runs, seconds } = JSON.parse(readFileSync(report, 'utf8'));
  await rm(folder, { recursive: true, force: true });
  return { runs, seconds, ms: plain.ms, memory };
}

/** MiB of a process and of what it started, but for what the shell runs. */
function residentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    if (/^Name:\s+sh$/m.test(status)) return 0;
    const own = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
    return children.reduce((sum, each) => sum + residentOf(each), own);
  } catch {
    return 0;
  }
}
