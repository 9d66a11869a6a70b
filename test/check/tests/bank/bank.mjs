// The bank of suites: `npm run mutate:bank` measures each suite, and each strong one with one of its assertions taken out, and
// compares every verdict with the one that `expected.json` beside the suite says, which was written by hand. Words of the
// command line narrow it: `npm run mutate:bank -- chat strong` is that suite, `-- chat without` are those that lack an
// assertion. With BANK_REPEAT=3 each is measured three times, and with BANK_PACKING=1 once more with a lie in each run, at
// all of their tests: the verdicts of a lie at a site and a test that differ are counted.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, differing, FAMILIES, unnoticed, withOverrides } from './expectations.mjs';
import { measure } from './measure-suite.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Every suite that was asked for, with what is expected of it. */
function suites(words) {
  const apps = readdirSync(here, { withFileTypes: true }).filter((each) => each.isDirectory());
  const all = apps.flatMap(({ name: app }) => {
    const file = path.join(here, app, 'expected.json');
    const { options = [], without, corrected: _notes, ...expected } = JSON.parse(readFileSync(file, 'utf8'));
    const whole = Object.entries(expected).map(([suite, { options: own = options, ...rows }]) => {
      return { app, suite, options: own, rows };
    });
    const less = Object.entries(without ?? {}).map(([assertion, changed]) => {
      const known = unnoticed(expected.strong);
      const rows = withOverrides(expected.strong, changed, known);
      const narrowed = [...options, ...known.flatMap((lie) => ['--skip', lie])];
      return { app, suite: `strong without ${assertion}`, assertion, options: narrowed, rows };
    });
    return [...whole, ...less];
  });
  const named = all.filter(({ app, suite }) => `${app} ${suite}` === words.join(' '));
  return named.length > 0
    ? named
    : all.filter(({ app, suite }) => words.every((word) => `${app} ${suite}`.includes(word)));
}

const COLUMNS = ['app', 'suite', 'lies', ...FAMILIES, 'placebos', 'seconds'];
const line = (cells) => `| ${cells.join(' | ')} |`;

const { BANK_REPEAT = 1, BANK_PACKING } = process.env;
const repeats = Number(BANK_REPEAT);
const isCompared = repeats > 1 || BANK_PACKING !== undefined;
const totals = { compared: 0, differ: 0 };

/** Measures a suite again, and counts the verdicts that are not those of the first time. */
async function compareAgain(suite, first) {
  const folder = path.join(here, suite.app);
  const reports = [first];
  while (reports.length < repeats) reports.push(await measure(folder, suite, ['--all-units']));
  if (BANK_PACKING) reports.push(await measure(folder, suite, ['--all-units', '--jobs', '1', '--one-by-one']));
  const { compared, differences } = differing(reports);
  for (const difference of differences) console.log(`${suite.app} ${suite.suite}: ${difference}`);
  totals.compared += compared;
  totals.differ += differences.length;
  const kinds = `${repeats} packed${BANK_PACKING ? ', and one by one' : ''}`;
  console.log(`${suite.app} ${suite.suite}: ${differences.length} of ${compared} verdicts differ (${kinds})`);
}

const wanted = suites(process.argv.slice(2));
const rows = [];
for (const suite of wanted) {
  const report = await measure(path.join(here, suite.app), suite, isCompared ? ['--all-units'] : []);
  const { right, differences } = compare(report, suite.rows);
  for (const difference of differences) console.log(`${suite.app} ${suite.suite}: ${difference}`);
  const { placebos, seconds } = report.measured;
  const noticed = `${placebos.noticed} of ${placebos.run}`;
  rows.push({ ...suite, ...right, lies: right.all, placebos: noticed, seconds: Math.round(seconds) });
  console.log(line(COLUMNS.map((name) => rows.at(-1)[name] ?? '')));
  if (isCompared) await compareAgain(suite, report);
}
console.log(`\n${[line(COLUMNS), line(COLUMNS.map(() => '---'))].join('\n')}`);
for (const row of rows) console.log(line(COLUMNS.map((name) => row[name] ?? '')));
if (isCompared) console.log(`\n${totals.differ} of ${totals.compared} verdicts differ`);
