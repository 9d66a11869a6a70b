import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { against, atLeast, atMost, type BenchRow, each } from './bench-row.ts';
import { withFolder } from './bench-server.ts';
import { statusOf, treeMemory } from './process-memory.ts';

const SUITE = path.resolve('test/bench/explored-suite.mjs');
const SONG = path.resolve('test/bench/explored-song.mjs');
/** An app that listens a tenth of a second after it was started. */
const APP =
  "setTimeout(() => require('node:http').createServer((_, answer) => answer.end()).listen(process.env.PORT), 60)";
/** What lengthens no story: the rest waits for seconds of real time, as the story under it does. */
const QUICK = 'duplicate,twin,reorder,resent,instant,spelled,take_fails,fails,lost_request,lost_answer,status:500';

/** How many schedules a second the function form, the command form and one with an app run, and what they take of memory. */
export async function exploreBench(): Promise<BenchRow[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [SONG, 'function', '200']);
  const { run, seconds } = JSON.parse(stdout);
  const share = await commandShare();
  const started = await commandForm('30s', ['--start', `node -e "${APP}"`]);
  const { memory } = await commandForm('30s', [], { isWatched: true });
  const ofPlain = { ours: share, theirs: 1, bar: '<= 1.3', digits: 2 };
  return [
    atLeast('explore, function form: schedules a second', run / seconds, 20),
    against('explore, command form: of plain.ms a schedule and job', ofPlain),
    atLeast('explore --start: schedules a second', started.runs / started.seconds, 4),
    atMost('explore, command form: MiB with two jobs', memory, 350, 0),
    ...(await suiteRows()),
  ];
}

const JOBS = 2;

/** How many schedules a minute of a suite of 30 tests with fixtures, from when its plain runs are made. */
export async function suiteRows(): Promise<BenchRow[]> {
  const search = ['--jobs', String(JOBS), '--no-saved', '--', process.execPath, '--test', SUITE];
  const [early, late] = await each(['20s', '60s'], (budget) => explored(['--budget', budget, ...search]));
  if (!early || !late) throw new Error('explore wrote no report');
  const rate = (60 * (late.runs - early.runs)) / (late.seconds - early.seconds);
  return [atLeast('explore, a suite of 30 tests with fixtures: schedules a minute', rate, 500, 0)];
}

/** What a search reports; \`look\` is called ten times a second with its process. */
function explored(words: readonly string[], look?: (pid: number) => void) {
  return withFolder(async (folder) => {
    const report = path.join(folder, 'found.json');
    const line = ['dist/main.js', 'explore', '--report', report, ...words];
    const child = spawn(process.execPath, line, { stdio: 'ignore' });
    const timer = look && setInterval(() => look(child.pid ?? 0), 100);
    await new Promise((resolve) => child.once('close', resolve));
    clearInterval(timer);
    const { plain, schedules_run: runs, seconds } = JSON.parse(readFileSync(report, 'utf8'));
    return { runs: Number(runs), seconds: Number(seconds), ms: Number(plain.ms) };
  });
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

/** Explores the song as a command; a watched one reports the memory of what is not the story's, and is slowed by that. */
async function commandForm(budget: string, options: readonly string[], { isWatched = false } = {}) {
  const search = ['--jobs', String(JOBS), '--budget', budget, '--bound', '3', '--no-saved', '--expect-failure', '*'];
  const words = [...search, '--only', QUICK, ...options, '--', 'node', SONG];
  let memory = 0;
  const look = (pid: number) => {
    memory = Math.max(
      memory,
      treeMemory(pid, (id) => statusOf(id, 'Name') === 'sh'),
    );
  };
  return { ...(await explored(words, isWatched ? look : undefined)), memory };
}
