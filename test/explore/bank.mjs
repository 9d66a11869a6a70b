// The bank of applications: `npm run explore:bank` explores each correct one and each broken copy, and prints what was found.
// Words of the command line narrow it: `npm run explore:bank -- shop lost`. What has been done is on record, and is not done
// again; `--fresh` forgets it, `--table` only prints it. BANK_SECONDS is the budget of each bug (60), BANK_SCHEDULES how many
// schedules a correct one is to stand (2000, or `all`), BANK_REPLAYS how often a finding is replayed (20), BANK_BUSY how
// many busy processes run beside (0), BANK_MINUTES after how long no other one is begun.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExploreFindings, explore } from '../../dist/index.js';
import { forget, keep, markOf, readRecord, table } from './bank-record.mjs';
import { copyOf } from './broken-copy.mjs';
import { storyOf } from './in-process.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '..', '..');
const {
  BANK_SECONDS = '60',
  BANK_SCHEDULES = '2000',
  BANK_REPLAYS = '20',
  BANK_BUSY = '0',
  BANK_MINUTES,
  BANK_KIND = 'broken correct',
} = process.env;
const began = Date.now();
/** How many parts the schedules of a correct one are explored in. */
const PARTS = 20;
/** Of a correct one: as many at once as do not starve each other in one process, where apps have patience of their own. */
const STORIES = 8;
/** Up to two deviations these have less than 2,000 schedules. */
const SMALL = ['chat', 'publisher'];

/** Each application; the one that lives in a process of its own is killed as well. */
export const APPS = {
  shop: (file) => [
    ...['--start', `node '${file}'`, '--ready', 'http://127.0.0.1:{port}/ready', '--only', 'kill'],
    ...['--probe', `node '${path.join(here, 'shop/probe.mjs')}'`, '--', `node '${path.join(here, 'shop/story.mjs')}'`],
  ],
  chat: undefined,
  batch: undefined,
  publisher: undefined,
};

/** Explores a copy in this process; answers the report, found or not. */
export async function exploreHere(app, file, options) {
  const { story, probe, check } = storyOf(file, await import(`./${app}/story.mjs`));
  try {
    return await explore(story, { probe, check, beyondContract: true, noSaved: true, ...options });
  } catch (error) {
    if (error instanceof ExploreFindings) return error.report;
    throw error;
  }
}

/** Runs `svc-emulator explore` with a copy as its app; answers its exit code and report. */
async function exploreProcess(app, file, options) {
  const report = path.join(path.dirname(file), `report-${process.pid}-${Math.random().toString(36).slice(2)}.json`);
  const args = ['explore', '--no-saved', '--report', report, ...options, ...APPS[app](file)];
  const stdio = ['ignore', 'ignore', 'pipe'];
  const child = spawn(process.execPath, [path.join(root, 'dist/main.js'), ...args], { stdio });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code > 1) throw new Error(`exit ${code}: ${said.slice(-300)}`);
  const text = readFileSync(report, 'utf8');
  rmSync(report, { force: true });
  return { code, report: text === '' ? undefined : JSON.parse(text) };
}

const budget = (share) => `${Number(BANK_SECONDS) * share}s`;

/** The first finding of a broken copy: of messages in the function form; where its app can be killed, each has half the time. */
async function findIn(app, file) {
  const share = APPS[app] ? 0.5 : 1;
  const told = await exploreHere(app, file, { budget: budget(share), stopAfter: 1 });
  if (told.findings.length > 0 || !APPS[app]) return told;
  const { report } = await exploreProcess(app, file, ['--budget', budget(share), '--stop-after', '1']);
  const sum = (field) => report[field] + told[field];
  return { ...report, seconds: sum('seconds'), schedules_run: sum('schedules_run'), isKilled: true };
}

/** Whether a finding comes again. */
async function comesAgain({ app, token, isKilled }, file) {
  if (isKilled) return (await exploreProcess(app, file, ['--replay', token])).code === 1;
  return (await exploreHere(app, file, { replay: token })).findings.length > 0;
}

async function tellBroken(app, bug, file) {
  const { findings, seconds, schedules_run: run, isKilled } = await findIn(app, file);
  const [found] = findings;
  const told = { app, bug, found: found ? 'yes' : 'NO', seconds: Number(seconds.toFixed(1)), run, load: load() };
  if (!found) return told;
  const { token, kind, schedule, message } = found;
  const words = schedule.map(({ step, deviation }) => `${deviation} at ${step}`).join(' + ');
  return { ...told, kind, schedule: words, message, token, isKilled, tried: 0, again: 0 };
}

/** A finding is replayed as often as is wanted, four at a time. */
async function replay(row, file) {
  let { tried, again } = row;
  while (tried < Number(BANK_REPLAYS) && !isOver()) {
    const lanes = Math.min(row.isKilled ? 2 : 4, Number(BANK_REPLAYS) - tried);
    const came = await Promise.all(Array.from({ length: lanes }, () => comesAgain(row, file).catch(() => false)));
    tried += lanes;
    again += came.filter(Boolean).length;
  }
  return { ...row, tried, again, replayed: `${again} of ${tried}` };
}

/** What a correct copy does not stand is told in full; its schedules are explored part by part. */
async function tellCorrect(app, form, { file, mark, record }) {
  const wanted = BANK_SCHEDULES === 'all' ? Number.POSITIVE_INFINITY : Number(BANK_SCHEDULES);
  const earlier = record.findLast((row) => row.mark === mark);
  let sum = earlier ?? { app, form, mark, schedules: 0, left: undefined, alarms: [], seconds: 0, part: 0 };
  while (sum.schedules < wanted && sum.part < PARTS && !isOver()) {
    const shard = `${sum.part + 1}/${PARTS}`;
    const schedules = Number.isFinite(wanted) ? wanted - sum.schedules : undefined;
    const bound = SMALL.includes(app) && schedules !== undefined ? 3 : 2;
    const report = await exploreHere(app, file, { budget: 0, shard, schedules, bound, jobs: STORIES });
    const alarms = [...report.findings, ...report.unstable].map(({ schedule, kind, message, failed }) => {
      const words = schedule.map(({ step, deviation }) => `${deviation} at ${step}`).join(' + ');
      return `${failed ? `unstable ${failed} of 3, ` : ''}${kind}: ${message} (${words})`;
    });
    const { schedules_run: run, schedules_left: left, seconds } = report;
    sum = {
      ...sum,
      ...{ schedules: sum.schedules + run, alarms: [...sum.alarms, ...alarms], part: sum.part + 1, load: load() },
      ...{ seconds: Math.round(sum.seconds + seconds), ofParts: (sum.ofParts ?? 0) + left },
    };
    sum.left = sum.part === PARTS ? sum.ofParts : `${sum.ofParts} and ${PARTS - sum.part} parts`;
    keep(sum);
    for (const alarm of alarms) console.log(`ALARM ${app} ${form}: ${alarm}`);
  }
}

const storyFile = (app) => path.join(here, app, 'story.mjs');
const load = () => Number(loadavg()[0].toFixed(1));
const isOver = () => BANK_MINUTES !== undefined && Date.now() - began > Number(BANK_MINUTES) * 60_000;

function beBusy() {
  const busy = () => spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' });
  const children = Array.from({ length: Number(BANK_BUSY) }, busy);
  return () => {
    for (const child of children) child.kill('SIGKILL');
  };
}

/** All copies whose names have the words: the broken ones, or those that behave. */
async function* copies(words, named) {
  for (const app of Object.keys(APPS)) {
    for (const [name, changes] of Object.entries(named(await import(`./${app}/broken.mjs`)))) {
      const isWanted = words.every((word) => `${app} ${name}`.includes(word));
      if (isWanted && !isOver()) yield { app, name, file: copyOf(app, name, changes) };
    }
  }
}

/** Explores what is not on record yet. */
async function work(words) {
  if (BANK_KIND.includes('broken')) await workBroken(words);
  if (!BANK_KIND.includes('correct')) return;
  for await (const { app, name: form, file } of copies(words, ({ REWRITTEN }) => ({ correct: [], ...REWRITTEN }))) {
    await tellCorrect(app, form, { file, mark: markOf([file, storyFile(app)], BANK_SCHEDULES), record: readRecord() });
  }
}

async function workBroken(words) {
  for await (const { app, name: bug, file } of copies(words, ({ BROKEN }) => BROKEN)) {
    const mark = markOf([file, storyFile(app)], BANK_SECONDS, BANK_BUSY);
    const earlier = readRecord().findLast((row) => row.mark === mark);
    const fresh = () =>
      tellBroken(app, bug, file).catch((error) => ({ app, bug, found: 'NO', schedule: error.message }));
    const row = earlier ?? { ...(await fresh()), mark };
    const done = row.tried < Number(BANK_REPLAYS) ? await replay(row, file) : row;
    if (done === earlier) continue;
    keep(done);
    console.log(JSON.stringify(done));
  }
}

async function main() {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  if (process.argv.includes('--fresh')) forget();
  const rest = beBusy();
  try {
    if (!process.argv.includes('--table')) await work(words);
  } finally {
    rest();
  }
  const record = readRecord();
  console.log(
    table(
      'broken',
      record.filter(({ bug }) => bug),
    ),
  );
  console.log(
    `\n${table(
      'correct',
      record.filter(({ form }) => form).map((row) => ({ ...row, alarms: row.alarms.length })),
    )}`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
