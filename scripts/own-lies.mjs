// Whether our own tests notice the lies: `npm run lies:own` runs the tests that name a rule which a lie breaks, in one run of
// Vitest: first on the truth, then with the emulators that they start telling that lie. At least one has to fail under each
// lie, and of each of its rules one. Words narrow it to lies and families: `npm run lies:own -- money event.none`. `--sample N`
// takes N of them, drawn by `--seed`; `--report FILE` writes every outcome as JSON.
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

/** A lie about any field is tried at fields with a rule of their own. */
const FIELDS = {
  'field.missing': [['created', ['R019']]],
  'field.null': [['created', ['R019']]],
  'field.text': [['created', ['R019']]],
};

/** A row of the table of lies names the rules of all of its lies; these are not broken by the one. */
const NOT_BROKEN = {
  'charge.one_more': ['R131'],
  'charge.none': ['R001'],
  'key.any': ['R205'],
  'file.other_take': ['R022'],
  'file.cut': ['R022'],
  'file.page': ['R022'],
  'file.short': ['R156'],
  'file.small': ['R051'],
  'duration.asked': ['R026'],
  'bytes.wrong': ['R051'],
  'lyrics.other': ['R015'],
  'model.other': ['R052'],
  'status.400_as_500': ['R135'],
  'status.404_as_200': ['R135', 'R234'],
  'status.201_as_200': ['R234'],
  'time.local': ['R019', 'R212'],
};

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    report: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const lies = JSON.parse(readFileSync(path.join(root, 'fixtures/lies.json'), 'utf8')).flatMap(
  ({ name, family, rule }) =>
    name in FIELDS
      ? FIELDS[name].map(([field, rules]) => ({ lie: name, family, field, rule: rules }))
      : [{ lie: name, family, rule: rule.filter((id) => !NOT_BROKEN[name]?.includes(id)) }],
);
const files = readdirSync(path.join(root, 'test'), { recursive: true })
  .map((file) => path.posix.join('test', file.split(path.sep).join('/')))
  .filter((file) => /(?<!\.long)\.test\.ts$/.test(file) && !OTHERS.test(file))
  .map((file) => ({ file, text: readFileSync(path.join(root, file), 'utf8') }));

function chosen() {
  const isNamed = ({ lie, family }) => words.length === 0 || words.some((word) => word === family || fits(word, lie));
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

/** What the tests of these lies made of the truth and of each lie. */
async function run(wanted) {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-own-lies-'));
  try {
    const record = path.join(folder, 'record');
    writeFileSync(record, '');
    const rules = [...new Set(wanted.flatMap(({ rule }) => rule))];
    const pattern = `\\[[^\\]]*\\b(?:${rules.join('|')})\\b[^\\]]*\\]$`;
    const line = ['run', '--mode', 'own-lies', ...filesOf(rules), '-t', pattern];
    const env = { ...process.env, OWN_LIES: JSON.stringify(wanted), OWN_LIES_RECORD: record };
    const stdio = options.verbose ? 'inherit' : 'ignore';
    await ended(spawn(process.execPath, [vitest, ...line], { cwd: root, env, stdio }));
    const lines = readFileSync(record, 'utf8').split('\n').slice(0, -1);
    return lines.map((each) => JSON.parse(each));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function ended(child) {
  return new Promise((resolve) => child.once('close', resolve));
}

/** A test that waited until its clock ended it has noticed less plainly than one that says what is wrong. */
function isOfClock({ why }) {
  return /\btimed out\b|\btimeout\b/i.test(why);
}

/** What our tests say of a lie. Those that also fail on the truth, or to which it was never told, say nothing. */
function judged({ lie, family, rule }, outcomes) {
  const tried = outcomes.filter((each) => each.lie === lie);
  const noticed = tried.filter(({ failed, isSteady, told }) => failed && isSteady && told > 0);
  const [first] = [...noticed].sort((a, b) => isOfClock(a) - isOfClock(b));
  const unheld = rule.filter((id) => !noticed.some(({ rules }) => rules.includes(id)));
  const unsteady = tried.filter(({ failed, isSteady }) => failed && !isSteady);
  const told = tried.filter((each) => each.told > 0).length;
  return {
    lie,
    family,
    rule,
    tests: tried.length,
    told,
    noticed: noticed.length,
    unheld,
    unsteady: unsteady.length,
    by: first,
  };
}

function rowOf({ lie, rule, tests, told, noticed, unheld, unsteady, by }) {
  const held = rule.map((id) => (unheld.includes(id) ? `${id} (not held)` : id)).join(' ');
  const who = by
    ? `${by.file}: ${by.title.replace(/ \[[^\]]*\]$/, '')}${isOfClock(by) ? ' (by the clock)' : ''}`
    : 'NOT NOTICED';
  const more = unsteady > 0 ? ` (${unsteady} not steady)` : '';
  return `| ${lie} | ${held} | ${tests} tests, told to ${told}, noticed by ${noticed}${more} | ${who} |`;
}

const wanted = chosen();
const outcomes = await run(wanted);
for (const { file, title, why } of outcomes.filter((each) => each.lie === undefined && each.failed)) {
  console.log(`fails on the truth: ${file}: ${title}: ${why.slice(0, 200)}`);
}
const found = wanted.map((lie) => judged(lie, outcomes));
console.log('| lie | rules | tests | noticed by |\n| --- | --- | --- | --- |');
for (const each of found) console.log(rowOf(each));
const weak = found.filter(({ noticed }) => noticed === 0);
const unheld = found.flatMap(({ lie, unheld: rules }) => rules.map((rule) => `${lie} ${rule}`));
console.log(
  `${found.length - weak.length} of ${found.length} lies are noticed by our own tests; ${unheld.length} rules are not held under one.`,
);
if (options.report) writeFileSync(options.report, `${JSON.stringify(outcomes, null, 2)}\n`);
if (weak.length > 0 || unheld.length > 0) process.exitCode = 1;
