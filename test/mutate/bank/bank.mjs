// The bank of suites: `npm run mutate:bank` measures each suite, and each strong one with one of its assertions taken out, and
// compares every verdict with the one that `expected.json` beside the suite says, which was written by hand. Words of the
// command line narrow it: `npm run mutate:bank -- chat strong`.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, FAMILIES, withOverrides } from './expectations.mjs';
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
      const rows = withOverrides(expected.strong, changed);
      return { app, suite: `strong without ${assertion}`, assertion, options, rows };
    });
    return [...whole, ...less];
  });
  return all.filter(({ app, suite }) => words.every((word) => `${app} ${suite}`.includes(word)));
}

const COLUMNS = ['app', 'suite', 'lies', ...FAMILIES, 'placebos', 'seconds'];
const line = (cells) => `| ${cells.join(' | ')} |`;

const wanted = suites(process.argv.slice(2));
const rows = [];
for (const suite of wanted) {
  const report = await measure(path.join(here, suite.app), suite);
  const { right, differences } = compare(report, suite.rows);
  for (const difference of differences) console.log(`${suite.app} ${suite.suite}: ${difference}`);
  const { placebos, seconds } = report.measured;
  const noticed = `${placebos.noticed} of ${placebos.run}`;
  rows.push({ ...suite, ...right, lies: right.all, placebos: noticed, seconds: Math.round(seconds) });
  console.log(line(COLUMNS.map((name) => rows.at(-1)[name] ?? '')));
}
console.log(`\n${[line(COLUMNS), line(COLUMNS.map(() => '---'))].join('\n')}`);
for (const row of rows) console.log(line(COLUMNS.map((name) => row[name] ?? '')));
