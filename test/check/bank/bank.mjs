// The bank of check: `npm run check:bank` checks each correct application and each copy with a planted bug, and compares
// the report with the expected checks, which were written by hand. Words select entries: `npm run check:bank -- shop lost`.
// `--part 2/6` runs one of 6 parts, in an order drawn by `--seed 1`. `--write` keeps each result, writes
// docs/project/check-banks.md, and skips entries that were judged with the same sources. BANK_SECONDS limits the time for
// each application (180), which also ends when its bug is found. BANK_JOBS is the number of parallel commands (2).
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isJudgedBefore, keepResult, writePage } from './bank-page.mjs';
import { copyOf } from './broken-copy.mjs';
import { checksOf } from './checks-of-bugs.mjs';
import { bugsOf, copyProject, PROJECTS } from './project-copy.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = path.join(here, '../../..');
const program = path.join(root, 'dist/main.js');
const { BANK_SECONDS = '180', BANK_JOBS = '2' } = process.env;
const script = (name, ...words) => ['node', path.join(here, name), ...words].map((word) => `'${word}'`).join(' ');

/** The arguments of `check` for each application. One that keeps its state in files runs in a process that `check` kills. */
const APPS = {
  shop: (file) => [
    ...['--start', `node '${file}'`, '--ready', 'http://127.0.0.1:{port}/ready'],
    ...['--assert', script('assert-end.mjs', 'shop'), '--', script('shop/story.mjs')],
  ],
  cards: (file) => [
    ...['--start', `python3 '${file}'`, '--ready', 'http://127.0.0.1:{port}/state'],
    ...['--assert', script('assert-end.mjs', 'cards'), '--', `python3 '${path.join(here, 'cards/story.py')}'`],
  ],
  // It keeps its state in memory, so it is not killed.
  chat: (file) => [
    ...['--skip', 'kill:*', '--start', `node '${file}'`, '--ready', 'http://127.0.0.1:{port}/state'],
    ...['--assert', script('assert-end.mjs', 'chat'), '--', script('chat/story.mjs')],
  ],
  batch: (file) => [
    '--assert',
    script('assert-end.mjs', 'batch'),
    '--',
    script('run-story.mjs', 'batch', file, '{port}'),
  ],
  publisher: (file) => ['--', script('run-story.mjs', 'publisher', file, '{port}')],
};

/** The line that reports a finding under a single fault. */
const NEWS = /^Found: (\S+) under \S+ at (?!.* and \S+ at )/gm;

/**
 * Runs check to its end, or until it has confirmed a finding of one of the checks `until` under a single fault; resolves with
 * its report.
 */
export async function checked(words, cwd, { env = {}, until = [] } = {}) {
  const report = path.join(cwd, 'found.json');
  const line = [program, 'check', '--jobs', BANK_JOBS, '--report', report, ...words];
  const child = spawn(process.execPath, line, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let isKnown = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += chunk;
      if (isKnown || ![...said.matchAll(NEWS)].some(([, check]) => until.includes(check))) return;
      isKnown = true;
      child.kill('SIGINT');
    });
  }
  const code = await new Promise((resolve) => child.once('close', (number, by) => resolve(number ?? by)));
  if (!existsSync(report)) throw new Error(`check ended with ${code}: ${said.slice(-2000)}`);
  return { code, said, report: JSON.parse(readFileSync(report, 'utf8')) };
}

/** Calls `work` with a temporary folder, and removes the folder afterwards. */
export async function inFolder(work) {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bank-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The arguments of `check` for a file of an application. */
export const wordsFor = (app, file) => APPS[app](file);

/** Checks one copy of an application under all faults, until a bug of the checks `until` is found. */
function checkApp({ app, name, changes, until }) {
  const words = ['--budget', `${BANK_SECONDS}s`, ...APPS[app](copyOf(app, name, changes))];
  return inFolder((folder) => checked(words, folder, { until }));
}

const APP_NAMES = Object.keys(APPS);

/** Checks one copy of a project with its own tests, as its users do. */
function checkProject({ app, name, until }) {
  return inFolder((folder) => {
    copyProject(app, folder, until.length === 0 ? [] : [`bugs/${name}.patch`]);
    return checked(['--budget', `${BANK_SECONDS}s`, '--', ...PROJECTS[app]], folder, { until });
  });
}

/** The correct form of each project, and each of its planted bugs. */
function projectEntries() {
  return Object.keys(PROJECTS).flatMap((app) => {
    const entry = (bank, name, expected) => {
      const run = () => judged(checkProject({ app, name, until: expected }), expected);
      return { bank, app, name, expected, run };
    };
    return [entry('correct', 'correct', []), ...bugsOf(app).map((bug) => entry('planted', bug, checksOf(bug)))];
  });
}

/** All entries of the bank: correct copies, and copies with a planted bug. */
async function entries() {
  const copies = APP_NAMES.map(async (app) => {
    const { BROKEN, REWRITTEN } = await import(`./${app}/broken.mjs`);
    const correct = [['correct', []], ...Object.entries(REWRITTEN)];
    return [
      ...correct.map(([name, changes]) => ({
        bank: 'correct',
        app,
        name,
        run: () => judged(checkApp({ app, name, changes, until: [] }), []),
      })),
      ...Object.entries(BROKEN).map(([name, changes]) => {
        const expected = checksOf(name);
        const run = () => judged(checkApp({ app, name, changes, until: expected }), expected);
        return { bank: 'planted', app, name, expected, run };
      }),
    ];
  });
  return [...(await Promise.all(copies)).flat(), ...projectEntries()];
}

/** Compares the report on a copy with the checks that its bug should fail. */
async function judged(checking, expected) {
  const { report, said } = await checking;
  const failed = report.checks.filter(({ state }) => state === 'failed').map(({ id }) => id);
  const isRight = expected.length === 0 ? failed.length === 0 : failed.some((id) => expected.includes(id));
  // If the machine was too slow to try the scenarios of the bug, the entry is not judged.
  const isTried = ({ id, tried }) => !expected.includes(id) || tried.run >= tried.of;
  const isJudged = failed.length > 0 || (report.exit === 0 && report.checks.every(isTried));
  const found = report.findings.filter(({ check }) => expected.length === 0 || expected.includes(check));
  const isPair = found.length > 0 && found.every(({ title }) => title.includes('; '));
  const titles = report.findings.slice(0, 3).map(({ check, title }) => `${check}: ${title}`);
  const text = titles.join('; ') || (report.error?.message ?? 'nothing found');
  if (!isJudged) console.log(said.slice(-1500));
  const [{ token } = {}] = found;
  const { run, planned, seconds } = report.measured;
  return { failed, isJudged, isRight, isPair, text, token, exit: report.exit, run, planned, seconds };
}

/** The entries of one part, in an order that the seed draws. */
function partOf(all, { part, seed }) {
  const [index, of] = part.split('/').map(Number);
  if (!(index >= 1 && index <= of))
    throw new Error(`--part is ${part}; expected a part and how many there are, such as 2/6.`);
  const rank = ({ bank, app, name }) => createHash('sha256').update(`${seed} ${bank} ${app} ${name}`).digest('hex');
  const drawn = all.map((entry) => [rank(entry), entry]).sort(([one], [other]) => (one < other ? -1 : 1));
  return drawn.map(([, entry]) => entry).filter((_, at) => at % of === index - 1);
}

async function runEntry({ run, ...entry }, isKept) {
  if (isKept && isJudgedBefore(entry)) return;
  const result = { ...entry, ...(await run()), budget: Number(BANK_SECONDS) };
  const verdict = !result.isJudged ? 'NOT JUDGED' : result.isRight ? 'right' : 'WRONG';
  const tried = `tried ${result.run} of ${result.planned}`;
  console.log(`| ${[entry.app, entry.name, verdict, result.text, tried, result.seconds].join(' | ')} |`);
  if (isKept) keepResult(result);
}

async function main(args) {
  const options = {
    part: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: '1' },
    write: { type: 'boolean', default: false },
  };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const all = await entries();
  const isMeant = ({ bank, app, name }) => positionals.every((word) => `${bank} ${app} ${name}`.includes(word));
  for (const each of partOf(all.filter(isMeant), values)) await runEntry(each, values.write);
  if (values.write) writePage(all, values.seed);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
