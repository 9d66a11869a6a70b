// The bank of applications: `npm run explore:bank` explores each correct one and each broken copy, and prints what was found.
// Words of the command line narrow it: `npm run explore:bank -- shop lost`. BANK_SECONDS is the budget of each (60),
// BANK_SCHEDULES how many schedules a correct one is to stand (2000), BANK_REPLAYS how often a finding is replayed (20).
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ExploreFindings, explore } from '../../dist/index.js';
import { copyOf } from './broken-copy.mjs';
import { storyOf } from './in-process.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '..', '..');
const { BANK_SECONDS = '60', BANK_SCHEDULES = '2000', BANK_REPLAYS = '20' } = process.env;
const words = process.argv.slice(2);

/** Each application; those that live in a process of their own are killed as well. */
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

/** Runs `svc-emulator explore` with a copy as its app; answers the report, found or not. */
async function exploreProcess(app, file, options) {
  const report = path.join(root, 'node_modules', '.cache', `bank-${process.pid}.json`);
  const args = ['explore', '--no-saved', '--report', report, ...options, ...APPS[app](file)];
  const child = spawn(process.execPath, [path.join(root, 'dist/main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code > 1) throw new Error(`exit ${code}: ${said.slice(-300)}`);
  const read = JSON.parse(readFileSync(report, 'utf8'));
  rmSync(report, { force: true });
  return read;
}

/** One finding of a broken copy, and how often it came again. */
async function broken(app, file) {
  const here = await exploreHere(app, file, { budget: `${BANK_SECONDS}s`, stopAfter: 1 });
  const [found] = here.findings;
  if (found) return { report: here, found, again: () => exploreHere(app, file, { replay: found.token }) };
  if (!APPS[app]) return { report: here };
  const killed = await exploreProcess(app, file, ['--budget', `${BANK_SECONDS}s`, '--stop-after', '1']);
  const [dead] = killed.findings;
  if (!dead) return { report: killed };
  return { report: killed, found: dead, again: () => replayProcess(app, file, dead.token) };
}

async function replayProcess(app, file, token) {
  const args = ['explore', '--replay', token, ...APPS[app](file)];
  const child = spawn(process.execPath, [path.join(root, 'dist/main.js'), ...args], { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { findings: code === 1 ? [token] : [] };
}

async function tellBroken(app, name, file) {
  const { report, found, again } = await broken(app, file);
  let replayed = 0;
  for (let turn = 0; found && turn < Number(BANK_REPLAYS); turn += 1)
    replayed += (await again()).findings.length > 0 ? 1 : 0;
  const schedule = found?.schedule.map(({ step, deviation }) => `${deviation} at ${step}`).join(' + ') ?? '';
  const seen = found
    ? [found.kind, schedule, report.seconds.toFixed(1), `${replayed} of ${BANK_REPLAYS}`]
    : ['', '', '', ''];
  tell([app, name, found ? 'yes' : 'NO', ...seen, `${report.schedules_run} run, ${report.unstable.length} unstable`]);
}

/** What a correct copy does not stand is told in full. */
async function tellCorrect(app, name, file) {
  const report = await exploreHere(app, file, { budget: 0, schedules: Number(BANK_SCHEDULES) });
  const alarms = [...report.findings, ...report.unstable].map(({ schedule, kind, message }) => {
    return `${kind}: ${message} (${schedule.map(({ step, deviation }) => `${deviation} at ${step}`).join(' + ')})`;
  });
  const { schedules_run: run, schedules_left: left, seconds } = report;
  tell([
    app,
    name,
    alarms.length === 0 ? 'no' : 'ALARM',
    '',
    alarms.join('; '),
    seconds.toFixed(1),
    '',
    `${run} run, ${left} left`,
  ]);
}

function tell(cells) {
  console.log(`| ${cells.join(' | ')} |`);
}

async function main() {
  tell(['app', 'bug', 'found', 'kind', 'schedule', 'seconds', 'replayed', 'schedules']);
  tell(Array(8).fill('---'));
  const isWanted = (text) => words.every((word) => text.includes(word));
  for (const app of Object.keys(APPS)) {
    const { BROKEN, REWRITTEN = {} } = await import(`./${app}/broken.mjs`);
    for (const [name, changes] of Object.entries({ correct: [], ...REWRITTEN })) {
      if (isWanted(`${app} ${name}`)) await tellCorrect(app, name, copyOf(app, name, changes));
    }
    for (const [name, changes] of Object.entries(BROKEN)) {
      if (isWanted(`${app} ${name}`)) await tellBroken(app, name, copyOf(app, name, changes));
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
