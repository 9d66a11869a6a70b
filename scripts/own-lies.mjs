// Whether our own tests notice the lies: `npm run lies:own` runs, for each lie, the tests that name one of its rules in their
// titles, first on the truth and then with every emulator that they start telling that lie. At least one has to fail under it,
// and of each of its rules one. Words narrow it to lies and families: `npm run lies:own -- money event.none`. `--sample N`
// takes N of them, drawn by `--seed`, and `--trust` leaves the truth out; `--report FILE` writes all that was found as JSON.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
/** Their emulators are processes of their own, or they tell lies themselves. */
const OTHERS = /^test\/(?:bench|cli|conformance|container|dashboard|docs|lies|mutate|package|proof|python|runners)\//;

/** What a sample is drawn from has tests in no more files. */
const MOST_FILES = 2;

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    report: { type: 'string' },
    trust: { type: 'boolean', default: false },
  },
});

const lies = JSON.parse(readFileSync(path.join(root, 'fixtures/lies.json'), 'utf8')).filter(
  ({ rule }) => rule.length > 0,
);
const files = readdirSync(path.join(root, 'test'), { recursive: true })
  .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
  .filter((file) => /(?<!\.long)\.test\.ts$/.test(file) && !OTHERS.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

function chosen() {
  const isNamed = ({ name, family }) => words.length === 0 || words.some((word) => word === family || fits(word, name));
  const named = lies.filter(isNamed);
  if (options.sample === undefined) return named;
  const quick = named.filter(({ rule }) => filesOf(rule).length <= MOST_FILES);
  const begin = Number(options.seed) * Number(options.sample);
  return Array.from({ length: Number(options.sample) }, (_, at) => quick[(begin + at) % quick.length]);
}

/** Files with tests of some rules. */
function filesOf(rules) {
  return files.filter(({ text }) => rules.some((rule) => text.includes(rule))).map(({ file }) => file);
}

function fits(word, name) {
  return word.endsWith('*') ? name.startsWith(word.slice(0, -1)) : word === name;
}

/** The tests of some rules, run on the truth or under a lie: each with its rules and why it failed. */
async function run(rules, lie) {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-own-lies-'));
  try {
    const [record, results] = ['record', 'results.json'].map((name) => path.join(folder, name));
    writeFileSync(record, '');
    const pattern = `\\[[^\\]]*\\b(?:${rules.join('|')})\\b[^\\]]*\\]$`;
    const line = ['run', ...filesOf(rules), '-t', pattern];
    const env = { ...process.env, OWN_LIE_RESULTS: results, ...(lie ? { OWN_LIE: lie, OWN_LIE_RECORD: record } : {}) };
    await ended(spawn(process.execPath, [vitest, ...line], { cwd: root, env, stdio: 'ignore' }));
    const { testResults } = JSON.parse(readFileSync(results, 'utf8'));
    const times = readFileSync(record, 'utf8').split('\n').map(Number);
    return { tests: testResults.flatMap(testsOf), told: times.reduce((sum, each) => sum + each, 0) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ended(child) {
  return new Promise((resolve) => child.once('close', resolve));
}

function testsOf({ name, assertionResults }) {
  const file = path.relative(root, name).split(path.sep).join('/');
  return assertionResults
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ title, status, failureMessages: [why = ''] }) => {
      const rules = /\[([^\]]*)\]$/.exec(title)?.[1].split(' ') ?? [];
      return { file, title, rules, failed: status === 'failed', why };
    });
}

/** A test that waited until its clock ended it has noticed less plainly than one that says what is wrong. */
function isOfClock({ why }) {
  return /\btimed out\b|\btimeout\b/i.test(why);
}

/** What our tests say of a lie. Those that fail on the truth, or whose lie was never told, say nothing. */
async function judge({ name, family, rule }, red) {
  const { tests, told } = await run(rule, name);
  const failed = tests.filter((test) => test.failed && !red.has(`${test.file} ${test.title}`));
  const noticed = told > 0 ? failed : [];
  const plainly = noticed.filter((test) => !isOfClock(test));
  const unheld = rule.filter((id) => !noticed.some(({ rules }) => rules.includes(id)));
  return {
    ...{ lie: name, family, told, tests: tests.length, failed: noticed.length, plainly: plainly.length, unheld },
    by: noticed.map((test) => ({
      file: test.file,
      title: test.title,
      isOfClock: isOfClock(test),
      why: test.why.slice(0, 200),
    })),
  };
}

function lineOf({ lie, told, tests, failed, plainly, unheld, by: [first] }) {
  const clock = plainly < failed ? ` (${failed - plainly} by the clock)` : '';
  const weak = failed === 0 ? 'NOT NOTICED' : `noticed by ${failed} of ${tests}${clock}: ${first.file}`;
  const rules = unheld.length > 0 && failed > 0 ? `; no test of ${unheld.join(', ')} notices it` : '';
  return `${lie}: ${weak}${rules}${told === 0 ? ' (never told)' : ''}`;
}

const wanted = chosen();
const truth = options.trust ? [] : (await run([...new Set(wanted.flatMap(({ rule }) => rule))], undefined)).tests;
const red = new Set(truth.filter(({ failed }) => failed).map(({ file, title }) => `${file} ${title}`));
for (const test of red) console.log(`fails on the truth: ${test}`);
const found = [];
for (const lie of wanted) {
  found.push(await judge(lie, red));
  console.log(lineOf(found.at(-1)));
}
const weak = found.filter(({ failed }) => failed === 0);
const unheld = found.flatMap(({ lie, unheld: rules }) => rules.map((rule) => `${lie} ${rule}`));
console.log(
  `${found.length - weak.length} of ${found.length} lies are noticed by our own tests; ${unheld.length} rules are not held under one.`,
);
if (options.report) writeFileSync(options.report, `${JSON.stringify(found, null, 2)}\n`);
if (weak.length > 0) process.exitCode = 1;
