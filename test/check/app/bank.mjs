// The bank of applications: `npm run explore:bank` explores each correct one and each broken copy, and prints what was found.
// Words of the command line narrow it: `npm run explore:bank -- shop lost`. What has been done is on record, and is not done
// again; `--fresh` forgets it, `--table` only prints it. BANK_SECONDS is the budget of each bug (60), BANK_SCHEDULES how many
// schedules a correct one is to stand (2000, or `all`), BANK_REPLAYS how often a finding is replayed (20), and again so often
// with BANK_BUSY busy processes beside (4; 0: not again), BANK_MINUTES after how long no other one is begun.
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { APPS, comesAgain, exploreCommand, exploreHere, findIn, isCommandOnly } from './bank-forms.mjs';
import { forget, keep, markOf, newestOf, readRecord, table } from './bank-record.mjs';
import { statementCounts } from './bank-statements.mjs';
import { copyOf } from './broken-copy.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const {
  BANK_SECONDS = '60',
  BANK_SCHEDULES = '2000',
  BANK_REPLAYS = '20',
  BANK_BUSY = '4',
  BANK_MINUTES,
  BANK_KIND = 'broken correct killed',
} = process.env;
const began = Date.now();
/** How many parts the schedules of a correct one are explored in, and those of its ends, which are few. */
const PARTS = 40;
const PARTS_KILLED = 6;
/** Of a correct one: as many at once as do not starve each other in one process, where apps have patience of their own. */
const STORIES = 16;
/** Up to two deviations these have less than 2,000 schedules. */
const SMALL = ['chat', 'publisher'];

async function tellBroken(app, bug, file) {
  const { findings, seconds, schedules_run: run, isKilled } = await findIn(app, file, BANK_SECONDS);
  const [found] = findings;
  const told = { app, bug, found: found ? 'yes' : 'NO', seconds: Number(seconds.toFixed(1)), run, load: load() };
  if (!found) return told;
  const { token, kind, statement, schedule, message } = found;
  const deviations = schedule.filter(({ deviation }) => !OUTCOME.test(deviation)).length;
  return { ...told, kind, statement, schedule: wordsOf(schedule), deviations, message, token, isKilled };
}

/** What the work comes to counts for no deviation. */
const OUTCOME = /^(?:take_fails:\d|fails|blocked)$/;

function wordsOf(schedule) {
  return schedule.map(({ step, deviation }) => `${deviation} at ${step}`).join(' + ');
}

/** A finding is replayed as often as is wanted, first as the machine is, then with busy processes beside. */
async function replayBoth(row, file) {
  const quiet = await replay(row.quiet, { row, file });
  keep({ ...row, quiet });
  if (Number(BANK_BUSY) === 0) return { ...row, quiet };
  const rest = beBusy();
  try {
    return { ...row, quiet, busy: await replay(row.busy, { row, file }) };
  } finally {
    rest();
  }
}

/** Goes on with what is on record of it, some at a time on one emulator, or two where each has processes of its own. */
async function replay({ tried, again, most } = { tried: 0, again: 0, most: 0 }, { row, file }) {
  let sum = { tried, again, most };
  while (sum.tried < Number(BANK_REPLAYS) && !isOver()) {
    const lanes = Math.min(row.isKilled ? 2 : 10, Number(BANK_REPLAYS) - sum.tried);
    const came = await comesAgain(row, file, lanes).catch(tellFault);
    sum = { tried: sum.tried + lanes, again: sum.again + came, most: Math.max(sum.most, load()) };
  }
  return sum;
}

/** What could not be replayed has not come again. */
function tellFault(error) {
  console.log(error.message);
  return 0;
}

/** Whether something is left to be replayed. */
function isOpen({ token, quiet, busy }) {
  const lacks = (sum) => (sum?.tried ?? 0) < Number(BANK_REPLAYS);
  return token !== undefined && (lacks(quiet) || (Number(BANK_BUSY) > 0 && lacks(busy)));
}

function alarmsOf({ findings, unstable }) {
  return [...findings, ...unstable].map(({ schedule, kind, message, failed }) => {
    return `${failed ? `unstable ${failed} of 3, ` : ''}${kind}: ${message} (${wordsOf(schedule)})`;
  });
}

/** What a correct copy does not stand is told in full; its schedules are explored part by part. */
async function tellCorrect(app, form, { file, mark, record, isKilled }) {
  const wanted = BANK_SCHEDULES === 'all' ? Number.POSITIVE_INFINITY : Number(BANK_SCHEDULES);
  const earlier = record.findLast((row) => row.mark === mark);
  let sum = earlier ?? { app, form, mark, schedules: 0, left: undefined, alarms: [], seconds: 0, part: 0 };
  const parts = isKilled ? PARTS_KILLED : PARTS;
  while (sum.schedules < wanted && sum.part < parts && !isOver()) {
    const shard = `${sum.part + 1}/${parts}`;
    const schedules = Number.isFinite(wanted) ? wanted - sum.schedules : undefined;
    const report = await (isKilled || isCommandOnly(app) ? exploreKills : exploreMessages)(app, file, {
      shard,
      schedules,
    });
    const alarms = alarmsOf(report);
    const { schedules_run: run, schedules_left: left, seconds } = report;
    sum = {
      ...sum,
      ...{ schedules: sum.schedules + run, alarms: [...sum.alarms, ...alarms], part: sum.part + 1, load: load() },
      ...{ seconds: Math.round(sum.seconds + seconds), ofParts: (sum.ofParts ?? 0) + left },
    };
    sum.left = sum.part === parts ? sum.ofParts : `${sum.ofParts} and ${parts - sum.part} parts`;
    keep(sum);
    for (const alarm of alarms) console.log(`ALARM ${app} ${form}: ${alarm}`);
  }
}

function exploreMessages(app, file, { shard, schedules }) {
  const bound = SMALL.includes(app) && schedules !== undefined ? 3 : 2;
  return exploreHere(app, file, { budget: 0, shard, schedules, bound, jobs: STORIES });
}

/** The same of the ends of its process, or of all that a command can meet. */
async function exploreKills(app, file, { shard, schedules }) {
  const options = ['--budget', '0', '--shard', shard, ...(schedules ? ['--schedules', `${schedules}`] : [])];
  return (await exploreCommand(app, file, { options })).report;
}

const storyFile = (app) => path.join(here, app, isCommandOnly(app) ? 'story.py' : 'story.mjs');
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
  if (!/correct|killed/.test(BANK_KIND)) return;
  for await (const { app, name: form, file } of copies(words, ({ REWRITTEN }) => ({ correct: [], ...REWRITTEN }))) {
    const mark = markOf([file, storyFile(app)], BANK_SCHEDULES);
    if (BANK_KIND.includes('correct')) await tellCorrect(app, form, { file, mark, record: readRecord() });
    if (!APPS[app] || isCommandOnly(app) || !BANK_KIND.includes('killed')) continue;
    const killed = { file, mark: `${mark} killed ${PARTS_KILLED}`, record: readRecord(), isKilled: true };
    await tellCorrect(app, `${form}, killed`, killed);
  }
}

async function workBroken(words) {
  for await (const { app, name: bug, file } of copies(words, ({ BROKEN }) => BROKEN)) {
    const mark = markOf([file, storyFile(app)], BANK_SECONDS);
    const earlier = readRecord().findLast((row) => row.mark === mark);
    const fresh = () =>
      tellBroken(app, bug, file).catch((error) => ({ app, bug, found: 'NO', schedule: error.message }));
    const row = earlier ?? { ...(await fresh()), mark };
    if (row === earlier && !isOpen(row)) continue;
    const done = isOpen(row) ? await replayBoth(row, file) : row;
    keep(done);
    console.log(JSON.stringify(done));
  }
}

/** A row with what its replays came to, and the most load that was seen meanwhile. */
function toldOfReplays({ quiet, busy, ...row }) {
  const told = (sum) => (sum ? `${sum.again} of ${sum.tried}` : '');
  return { ...row, replayed: told(quiet), 'at load': quiet?.most, 'busy beside': told(busy), 'their load': busy?.most };
}

async function main() {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  if (process.argv.includes('--fresh')) forget();
  if (!process.argv.includes('--table')) await work(words);
  const record = readRecord();
  const broken = newestOf(record.filter(({ bug }) => bug));
  const correct = newestOf(record.filter(({ form }) => form));
  console.log(table('broken', broken.map(toldOfReplays)));
  console.log(`\n${statementCounts(broken)}\n`);
  console.log(
    table(
      'correct',
      correct.map((row) => ({ ...row, alarms: row.alarms.length })),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main();
  // What a broken copy still waits for is not waited for.
  process.exit();
}
