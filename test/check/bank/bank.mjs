// The bank of check: `npm run check:bank` checks each correct application, each copy with a planted bug, and each suite, and
// compares what it says with what was written by hand. Words narrow it: `npm run check:bank -- shop lost`, `-- suites chat`.
// BANK_SECONDS is the budget of each application (60), BANK_JOBS how many commands run at the same time (2).
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyOf } from './broken-copy.mjs';
import { checksOf } from './checks-of-bugs.mjs';
import { compare, suitesIn } from './expectations.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '../../..');
const main = path.join(root, 'dist/main.js');
const { BANK_SECONDS = '60', BANK_JOBS = '2' } = process.env;
const script = (name, ...words) => ['node', path.join(here, name), ...words].map((word) => `'${word}'`).join(' ');

/** How each application is checked; one that keeps its state in files has a process of its own, which is killed. */
const APPS = {
  shop: (file) => [
    ...['--start', `node '${file}'`, '--ready', 'http://127.0.0.1:{port}/ready'],
    ...['--assert', script('assert-end.mjs', 'shop'), '--', script('shop/story.mjs')],
  ],
  cards: (file) => [
    ...['--start', `python3 '${file}'`, '--ready', 'http://127.0.0.1:{port}/state'],
    ...['--assert', script('assert-end.mjs', 'cards'), '--', `python3 '${path.join(here, 'cards/story.py')}'`],
  ],
  chat: (file) => ['--', script('run-story.mjs', 'chat', file, '{port}')],
  batch: (file) => ['--', script('run-story.mjs', 'batch', file, '{port}')],
  publisher: (file) => ['--', script('run-story.mjs', 'publisher', file, '{port}')],
};

/** Runs check to its end; resolves with its report. */
export async function checked(words, cwd, env = {}) {
  const report = path.join(cwd, 'found.json');
  const line = [main, 'check', '--jobs', BANK_JOBS, '--report', report, ...words];
  const child = spawn(process.execPath, line, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const code = await new Promise((resolve) => child.once('close', (number, by) => resolve(number ?? by)));
  if (!existsSync(report)) throw new Error(`check ended with ${code}: ${said.slice(-2000)}`);
  return { code, said, report: JSON.parse(readFileSync(report, 'utf8')) };
}

/** Does the work in a folder of its own. */
async function inFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bank-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks one copy of an application under all faults, or those that `only` names. */
export function checkApp(app, name, changes, only = 'faults') {
  const file = copyOf(app, name, changes);
  const words = ['--only', only, '--budget', `${BANK_SECONDS}s`, ...APPS[app](file)];
  return inFolder((folder) => checked(words, folder));
}

/** Checks one suite of the bank for the violations that it catches. */
export function checkSuite({ app, suite, assertion, options }) {
  return inFolder(async (folder) => {
    const name = assertion === undefined ? suite : 'strong';
    const source = path.join(here, 'suites', app);
    const file = ['mjs', 'py'].map((ending) => `${name}.${ending}`).find((each) => existsSync(path.join(source, each)));
    const text = readFileSync(path.join(source, file), 'utf8');
    const place = path.join(folder, 'suite');
    for (const made of [place, path.join(folder, 'node_modules')]) mkdirSync(made);
    symlinkSync(root, path.join(folder, 'node_modules/svc-emulator'));
    symlinkSync(path.join(here, 'suites/open-app.mjs'), path.join(folder, 'open-app.mjs'));
    writeFileSync(path.join(place, file), assertion === undefined ? text : without(text, assertion));
    const command = file.endsWith('.py') ? ['python3', file] : [process.execPath, file];
    return checked(['--only', 'violations,changes', '--budget', '0', ...options, '--', ...command], place, {
      BANK_APPS: here,
    });
  });
}

/** A suite without the one assertion of that name. */
function without(text, assertion) {
  const left = text.split('\n').filter((line) => !line.endsWith(`; // ${assertion}`));
  if (left.length !== text.split('\n').length - 1) throw new Error(`Not one assertion is called ${assertion}.`);
  return left.join('\n');
}

const line = (...cells) => console.log(`| ${cells.join(' | ')} |`);

/** Every copy whose names have the words: those that behave, and those with a planted bug. */
async function copiesOf(app, words) {
  const { BROKEN, REWRITTEN } = await import(`./${app}/broken.mjs`);
  const correct = [['correct', []], ...Object.entries(REWRITTEN)].map(([name, changes]) => ({
    name,
    changes,
    expected: [],
  }));
  const broken = Object.entries(BROKEN).map(([name, changes]) => ({ name, changes, expected: checksOf(name) }));
  return [...correct, ...broken].filter(({ name }) => words.every((word) => `apps ${app} ${name}`.includes(word)));
}

/** What check says of a copy, against the checks that its bug fails. */
function judged({ report }, expected) {
  const failed = report.checks.filter(({ state }) => state === 'failed').map(({ id }) => id);
  const isFound = failed.length > 0;
  const isRight = expected.length === 0 ? !isFound : failed.some((id) => expected.includes(id));
  return { isFound, isRight, word: isRight ? 'right' : isFound ? 'OTHER' : 'NOTHING' };
}

async function tryApps(words) {
  const planted = { all: 0, found: 0, right: 0 };
  for (const app of Object.keys(APPS)) {
    for (const { name, changes, expected } of await copiesOf(app, words)) {
      const ended = await checkApp(app, name, changes);
      const { isFound, isRight, word } = judged(ended, expected);
      if (expected.length > 0) {
        planted.all += 1;
        planted.found += Number(isFound);
        planted.right += Number(isRight);
      }
      const { findings, error, exit, measured } = ended.report;
      const how = findings.slice(0, 3).map(({ check, title }) => `${check}: ${title}`);
      line(app, name, word, how.join('; ') || (error ?? ''), measured.seconds);
      if (exit > 1) console.log(ended.said.slice(-1500));
    }
  }
  console.log(
    `${planted.found} of ${planted.all} planted bugs were found, ${planted.right} of them by the right check.`,
  );
}

async function trySuites(words) {
  let [right, all] = [0, 0];
  for (const suite of suitesIn(path.join(here, 'suites'), readdirSync)) {
    if (!words.every((word) => `suites ${suite.app} ${suite.suite}`.includes(word))) continue;
    const { report, said } = await checkSuite(suite);
    const { differences, compared } = compare(report, suite.rows);
    all += compared;
    right += compared - differences.length;
    line(
      suite.app,
      suite.suite,
      compared,
      differences.length === 0 ? 'as expected' : differences.join('; '),
      report.measured.seconds,
    );
    if (report.exit === 2) console.log(said.slice(-1500));
  }
  console.log(`${right} of ${all} results of violations are as expected.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  if (!words.includes('suites')) await tryApps(words);
  if (!words.includes('apps')) await trySuites(words);
}
