// What is expected of the suites of the bank: by site, the violations of each result. In a name `*` stands for anything, and of
// the names that fit the longest one counts. `missed or not_exercised` leaves it to chance which of both it is.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Every suite in a folder, and each strong one without one of its assertions, with what is expected of it. */
export function suitesIn(folder, list) {
  const apps = list(folder, { withFileTypes: true }).filter((each) => each.isDirectory());
  return apps.flatMap(({ name: app }) => {
    const {
      options = [],
      without = {},
      ...expected
    } = JSON.parse(readFileSync(path.join(folder, app, 'expected.json'), 'utf8'));
    const whole = Object.entries(expected).map(([suite, { options: own = options, ...sites }]) => {
      return { app, suite, options: own, rows: rowsOf(sites) };
    });
    const less = Object.entries(without).map(([assertion, changed]) => {
      const { options: _, ...strong } = expected.strong;
      const rows = [...rowsOf(changed).map((row) => ({ ...row, isFirst: true })), ...rowsOf(strong)];
      return { app, suite: `strong without ${assertion}`, assertion, options, rows };
    });
    return [...whole, ...less];
  });
}

function rowsOf(sites) {
  return Object.entries(sites).flatMap(([site, results]) => {
    if (site === 'brittle') return results.map((name) => ({ site, name: name.split(' ')[0], result: 'brittle' }));
    return Object.entries(results).flatMap(([result, names]) => names.map((name) => ({ site, name, result })));
  });
}

function fits({ name }, violation) {
  const escaped = name.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`).test(violation);
}

/** How many results of a report were compared, and each that is not as expected. */
export function compare({ violations, findings }, rows) {
  const sorted = rows.toSorted(
    (a, b) => Number(b.isFirst ?? 0) - Number(a.isFirst ?? 0) || b.name.length - a.name.length,
  );
  const reached = violations.filter(({ site }) => site !== '');
  const wrong = reached.flatMap(({ name, site, result }) => {
    const expected = sorted.find((row) => row.site === site && fits(row, name))?.result ?? 'nothing';
    return expected.split(' or ').includes(result) ? [] : [`${name} at ${site} is ${result}, expected ${expected}`];
  });
  const brittle = findings.filter(({ check }) => check === 'tolerates-changes').map(({ title }) => title);
  const wanted = rows.filter(({ site }) => site === 'brittle');
  const odd = brittle.filter((title) => !wanted.some(({ name }) => title.endsWith(`(${name})`)));
  return { compared: reached.length, differences: [...wrong, ...odd.map((title) => `brittle: ${title}`)] };
}
