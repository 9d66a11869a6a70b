// What is expected of a suite: by site, the lies of each verdict. In the name of a lie `*` stands for anything, and of the names
// that fit the longest one holds. `survived or no_verdict` leaves it to chance or to the machine's pace which of both it is.

export const FAMILIES = ['money', 'security', 'work', 'content', 'form'];

/** Expectations of a suite, with those of one that lacks an assertion in their place, and without lies that are skipped. */
export function withOverrides(expected, changed, skipped) {
  const sites = new Set([...Object.keys(expected), ...Object.keys(changed)]);
  const kept = (site) => {
    const rows = [...listed(expected[site]), ...listed(changed[site], true)];
    return rows.filter(({ lie }) => !skipped.includes(lie));
  };
  return Object.fromEntries([...sites].map((site) => [site, kept(site)]));
}

function listed(verdicts = {}, isFirst = false) {
  if (Array.isArray(verdicts)) return verdicts;
  return Object.entries(verdicts).flatMap(([verdict, lies]) => lies.map((lie) => ({ verdict, lie, isFirst })));
}

function patternOf(lie) {
  return new RegExp(
    `^${lie
      .split('*')
      .map(RegExp.escape ?? escaped)
      .join('.*')}$`,
  );
}

function escaped(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The lies that no site of a suite notices: without one of its assertions it does not, either. */
export function unnoticed(expected) {
  const sites = Object.values(expected).filter((verdicts) => !Array.isArray(verdicts));
  const rows = sites.flatMap((verdicts) => listed(verdicts));
  const isNoticed = (name) => rows.some(({ verdict, lie }) => lie === name && verdict.includes('noticed'));
  const names = rows.map(({ lie }) => lie).filter((name) => !/[*:]/.test(name) && !isNoticed(name));
  return [...new Set(names)];
}

/** How many verdicts of a report are as expected, by family, and each that is not. */
export function compare(report, { passed_dead: dead = [], brittle = [], exit = 0, ...sites }) {
  const rows = Object.entries(sites).flatMap(([site, verdicts]) => {
    return listed(verdicts).map((each) => ({ ...each, site, pattern: patternOf(each.lie), met: 0 }));
  });
  rows.sort((a, b) => Number(b.isFirst) - Number(a.isFirst) || b.lie.length - a.lie.length);
  const found = bySite(report.lies).map((each) => ({ ...each, expected: expectedOf(rows, each) }));
  const isRight = ({ verdict, expected = '' }) => expected.split(' or ').includes(verdict);
  const differences = [
    ...found
      .filter((each) => !isRight(each))
      .map(({ key, site, verdict, expected, output }) => {
        return `${key} at ${site} is ${verdict}, expected: ${expected}${output ? `\n    ${output.slice(0, 300).replaceAll('\n', '\n    ')}` : ''}`;
      }),
    ...rows
      .filter(({ met }) => met === 0)
      .map(({ lie, site, verdict }) => `${lie} at ${site} was expected: ${verdict}`),
    ...(report.exit === exit ? [] : [`ended with ${report.exit}, expected: ${exit}`]),
    ...differ('passes with the service dead', report.control.passed_dead, dead),
    ...differ('is brittle', brittleOf(report), brittle),
  ];
  const count = (each) => `${each.filter(isRight).length} of ${each.length}`;
  const right = FAMILIES.map((family) => [family, count(found.filter((each) => each.family === family))]);
  return { right: { all: found.length, ...Object.fromEntries(right) }, differences };
}

function expectedOf(rows, { key, site }) {
  const fitting = rows.filter((row) => row.site === site && row.pattern.test(key));
  for (const row of fitting) row.met += 1;
  return fitting[0]?.verdict;
}

function brittleOf({ liberties }) {
  return liberties.filter(({ tolerated }) => !tolerated).map(({ liberty, unit }) => `${liberty} ${unit}`);
}

function differ(what, found, expected) {
  const more = found.filter((each) => !expected.includes(each)).map((each) => `"${each}" ${what}`);
  const less = expected.filter((each) => !found.includes(each)).map((each) => `"${each}" was expected: ${what}`);
  return [...more, ...less];
}

/** The (lie, site, unit) of several reports, and those of which they do not say the same. */
export function differing(reports) {
  const all = new Map();
  for (const { lies } of reports) {
    for (const { lie, field, site, unit, verdict } of lies) {
      const key = `${field === undefined ? lie : `${lie}:${field}`} at ${site} of "${unit}"`;
      all.set(key, [...(all.get(key) ?? []), verdict]);
    }
  }
  const isSame = (verdicts) => verdicts.length === reports.length && new Set(verdicts).size === 1;
  const differences = [...all].filter(([, verdicts]) => !isSame(verdicts));
  return { compared: all.size, differences: differences.map(([key, verdicts]) => `${key}: ${verdicts.join(', ')}`) };
}

const VERDICTS = ['noticed', 'no_verdict', 'survived', 'unread', 'unreached'];

/** The verdict of each lie at each site: the best of its units. */
function bySite(lies) {
  const best = new Map();
  for (const { lie, field, site, family, verdict, output } of lies) {
    const key = field === undefined ? lie : `${lie}:${field}`;
    const known = best.get(`${key} ${site}`);
    if (known && VERDICTS.indexOf(known.verdict) <= VERDICTS.indexOf(verdict)) continue;
    best.set(`${key} ${site}`, { key, site, family, verdict, output });
  }
  return [...best.values()];
}
