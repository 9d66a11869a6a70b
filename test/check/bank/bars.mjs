// The other bars of check, each measured on its own: `npm run check:bars -- rate`, `first`, `round`,
// `budget`, `prove 20` and `replays 5`.
// `prove` and `replays` use the findings that `npm run check:bank -- --write` has kept.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { checked, inFolder, wordsFor } from './bank.mjs';
import { keepBar, keptFindings } from './bank-page.mjs';
import { copyOf } from './broken-copy.mjs';
import { PROJECTS } from './project-copy.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = path.join(root, 'dist/main.js');

/** 30 tests with fixtures that take 20 s. The first sends a paid request again after a lost response. */
const BROKEN_SUITE = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
const svc = emulatorFixtures();
const send = () => fetch(svc.emulator.url + '/v1/chat/completions', {
  method: 'POST',
  headers: { authorization: 'Bearer ' + svc.account.apiKey, 'content-type': 'application/json' },
  body: JSON.stringify({ model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Good evening.' }] }),
});
for (let at = 1; at <= 30; at += 1) test('message ' + at, async () => {
  if (at === 30) await new Promise((resolve) => setTimeout(resolve, 19_000));
  const response = await (at === 1 ? send().catch(send) : send());
  assert.equal(response.status, 200);
});
`;

const RETRYING_SUITE = readFileSync(new URL('retrying-suite.mjs', import.meta.url), 'utf8');

/**
 * Runs check on a suite. Resolves with the number of scenarios, the seconds until its end, and the seconds until it printed
 * the first finding.
 */
const timed = (suite, words, env = {}) =>
  inFolder(async (folder) => {
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(root, path.join(folder, 'node_modules/svc-emulator'));
    writeFileSync(path.join(folder, 'suite.test.mjs'), suite);
    const line = [program, 'check', '--jobs', '2', ...words, '--', process.execPath, 'suite.test.mjs'];
    const began = Date.now();
    const child = spawn(process.execPath, line, { cwd: folder, env: { ...process.env, ...env } });
    const seconds = () => (Date.now() - began) / 1000;
    let said = '';
    let first;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
        if (/^Found: /m.test(said)) first ??= seconds();
      });
    }
    await new Promise((resolve) => child.once('close', resolve));
    const ended = seconds();
    const [, kinds, others = 0] = /^Tried (\d+) of \d+ scenarios(?:, and (\d+) more .*,)? in \d+ s/m.exec(said) ?? [];
    if (kinds === undefined) throw new Error(`check did not end as it should: ${said.slice(-2000)}`);
    return { scenarios: Number(kinds) + Number(others), seconds: ended, first };
  });

/** Scenarios per minute, without the baseline runs. These take the same time in a short and in a long check. */
async function rate() {
  const within = (budget) => timed(RETRYING_SUITE, ['--budget', budget]);
  const [short, long] = [await within('15s'), await within('30s')];
  const scenarios = long.scenarios - short.scenarios;
  const seconds = long.seconds - short.seconds;
  const found = short.first ?? long.first;
  if (found !== undefined) throw new Error('check found something in a suite that holds under every fault.');
  return `${Math.round((60 * scenarios) / seconds)} scenarios a minute: ${scenarios} in ${seconds.toFixed(0)} s`;
}

async function first() {
  const { first: shown } = await timed(BROKEN_SUITE, ['--budget', '120s']);
  if (shown === undefined) throw new Error('check found nothing.');
  return `first failed check on screen after ${shown.toFixed(0)} s, with a suite of 20 s`;
}

/** Counts the checks that a suite of 16 s reaches, and those of them that are tried within 60 s. Also quotes the plan. */
async function round() {
  const { said, report } = await inFolder((folder) => {
    mkdirSync(path.join(folder, 'node_modules'));
    symlinkSync(root, path.join(folder, 'node_modules/svc-emulator'));
    cpSync(new URL('slow-suite.mjs', import.meta.url), path.join(folder, 'slow-suite.mjs'));
    cpSync(new URL('advice/calls.js', import.meta.url), path.join(folder, 'advice/calls.js'));
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
    return checked(['--budget', '60s', '--', process.execPath, 'slow-suite.mjs'], folder);
  });
  const reached = report.checks.filter(({ tried }) => tried.of > 0);
  const missed = reached.filter(({ tried }) => tried.run === 0).map(({ id }) => id);
  const [plan = 'no plan'] = /^\d+ scenarios?, about .*$/m.exec(said) ?? [];
  const { planned, run, seconds } = report.measured;
  const tried = `${reached.length - missed.length} of ${reached.length} checks tried in ${Math.round(seconds)} s`;
  return `${tried}${missed.length > 0 ? `, not ${missed.join(', ')}` : ''}; said "${plan}", tried ${run} of ${planned}`;
}

/** Measures when check ends if not all scenarios fit. Throws unless that is within a tenth of the budget. */
async function budget() {
  const { scenarios, seconds, first: found } = await timed(RETRYING_SUITE, ['--budget', '120s'], { MESSAGES: '5' });
  if (found !== undefined) throw new Error('check found something in a suite that holds under every fault.');
  const line = `${seconds.toFixed(0)} of 120 s, with ${scenarios} scenarios`;
  if (Math.abs(seconds - 120) > 12) throw new Error(`The end is not within a tenth of the budget: ${line}`);
  return line;
}

/** Replays each kept finding `times` times, three at once. Every replay should fail. */
async function replays(times = '5') {
  const missed = new Map();
  const findings = copiedFindings();
  const left = [];
  for (const { app, name, token } of findings) {
    const words = ['--replay', token, ...wordsFor(app, await brokenCopy(app, name))];
    left.push(...Array(Number(times)).fill({ title: `${app}: ${name}`, words }));
  }
  const made = left.length;
  const workers = Array.from({ length: 3 }, async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { title, words } = next;
      const { report } = await inFolder((folder) => checked(words, folder));
      if (report.findings.length === 0) missed.set(title, (missed.get(title) ?? 0) + 1);
    }
  });
  await Promise.all(workers);
  const passed = [...missed.values()].reduce((sum, count) => sum + count, 0);
  const list = [...missed].map(([title, count]) => `${title} (${count})`).join('; ') || 'none';
  return `${made - passed} of ${made} replays of ${findings.length} findings fail; not: ${list}`;
}

/** Skips the projects, which have their own suites and are not copies of one file. */
const copiedFindings = () => keptFindings().filter(({ app }) => !(app in PROJECTS));

const brokenCopy = (app, name) => import(`./${app}/broken.mjs`).then(({ BROKEN }) => copyOf(app, name, BROKEN[name]));

/** Proves up to `most` findings on three pairs of commits each: with a fix, without a fix, and without the bug. */
async function prove(most = '20') {
  const proven = { fixed: 0, unfixed: 0, 'never failed': 0 };
  const wrong = [];
  const findings = copiedFindings().slice(0, Number(most));
  for (const { app, name, token } of findings) {
    const broken = await brokenCopy(app, name);
    const correct = copyOf(app, 'correct', []);
    const sides = { fixed: [broken, correct], unfixed: [broken, broken], 'never failed': [correct, correct] };
    for (const [kind, [base, here]] of Object.entries(sides)) {
      const isShown = await inFolder((folder) => isProven({ folder, app, token, base, here }));
      proven[kind] += Number(isShown);
      if (isShown !== (kind === 'fixed')) wrong.push(`${app}: ${name} (${kind})`);
    }
  }
  const counts = Object.entries(proven).map(([kind, count]) => `${count} of ${findings.length} ${kind}`);
  return `proven: ${counts.join(', ')}; wrong: ${wrong.join('; ') || 'none'}`;
}

function isProven({ folder, app, token, base, here }) {
  const git = (...words) =>
    execFileSync('git', ['-c', 'user.name=bank', '-c', 'user.email=bank@localhost', ...words], { cwd: folder });
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  const file = `app${path.extname(base)}`;
  git('init', '-q');
  for (const source of [base, here]) {
    cpSync(source, path.join(folder, file));
    git('add', file);
    git('commit', '-q', '--allow-empty', '-m', 'app');
  }
  const words = [program, 'check', '--prove', token, '--base', 'HEAD~1', ...wordsFor(app, file)];
  const child = spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', (code) => resolve(code === 0)));
}

const BARS = { rate, first, round, budget, replays, prove };
const [bar, ...words] = process.argv.slice(2);
if (!Object.hasOwn(BARS, bar)) throw new Error(`Name a bar: ${Object.keys(BARS).join(', ')}.`);
const line = await BARS[bar](...words);
keepBar(bar, line);
console.log(line);
