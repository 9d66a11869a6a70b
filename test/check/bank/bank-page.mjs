// Keeps the results of the bank from run to run, and writes them as one page.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PAGE = path.join(root, 'docs/project/check-banks.md');
const KEPT = path.join(root, 'node_modules/.cache/check-bank/results.json');

const keyOf = ({ bank, app, name }) => `${bank} ${app} ${name}`;

/** The hash of the tree `src`, and whether files in it have changed. */
function readSources() {
  const [commit, changed] = [
    ['rev-parse', '--short', 'HEAD:src'],
    ['status', '--porcelain', 'src'],
  ].map((words) => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim());
  return changed === '' ? commit : `${commit}, changed`;
}

const readKept = () => (existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, 'utf8')) : { results: {}, bars: {} });

/** Whether the entry was judged with these sources. */
export function isJudgedBefore(entry) {
  const { isJudged = false, sources } = readKept().results[keyOf(entry)] ?? {};
  return isJudged && sources === readSources();
}

/** The results of the planted bugs that were found, each with a replay token. */
export const keptFindings = () => Object.values(readKept().results).filter(({ token, isRight }) => token && isRight);

export const keepResult = (result) =>
  keep(({ results }) => Object.assign(results, { [keyOf(result)]: { ...result, sources: readSources() } }));

export const keepBar = (bar, line) =>
  keep(({ bars }) => Object.assign(bars, { [bar]: { line, sources: readSources() } }));

function keep(add) {
  const kept = readKept();
  add(kept);
  mkdirSync(path.dirname(KEPT), { recursive: true });
  writeFileSync(KEPT, JSON.stringify(kept, undefined, 2));
}

const BARS = [
  ['rate', 'scenarios a minute, a suite of 30 tests with fixtures'],
  ['first', 'first failed check on screen, a suite of 20 s'],
  ['round', 'the checks that a suite of 16 s reaches, tried at least once within 60 s'],
  ['budget', 'budget within a tenth'],
  ['prove', '`--prove`: 20 fixed, 20 unfixed, 20 that never failed', ' 20'],
  ['replays', 'replays of the findings, five each', ' 5'],
];

const mostSeconds = (results) => Math.max(0, ...results.map(({ budget }) => budget));

const nested = (lines) => lines.map((line) => `\n  - ${line}`).join('') || ' none.';

const list = (results) => nested(results.map(({ app, name }) => `${app}: ${name}`));

/** The trees of `src` on which each part was measured. */
function treesOf(parts) {
  return nested(
    Object.entries(parts).map(([name, results]) => {
      const trees = new Set(results.map(({ sources }) => sources));
      return `${name}: ${[...trees].join(' and ') || 'none'}`;
    }),
  );
}

/** Writes the page: the results of all entries that ran, and the lines of the bars. */
export function writePage(all, seed) {
  const { results, bars } = readKept();
  const ran = all.flatMap((entry) => {
    const result = results[keyOf(entry)];
    return result ? [{ ...result, expected: entry.expected }] : [];
  });
  const of = (bank, every = ran) => every.filter((each) => each.bank === bank);
  const planted = of('planted');
  const rows = [...new Set(of('planted', all).map(({ expected }) => expected.join(' or ')))].map((check) => {
    const isHere = ({ expected }) => expected.join(' or ') === check;
    return rowOf(check, planted.filter(isHere), of('planted', all).filter(isHere).length);
  });
  const correct = of('correct');
  const byLedger = planted.filter(({ isRight, expected, failed }) => {
    const right = failed.filter((id) => expected.includes(id));
    return isRight && expected.length > 1 && right.every((id) => id === 'matches-ledger');
  });
  const wrong = planted.filter(({ isRight, failed }) => !isRight && failed.length > 0);
  const text = `# Banks of check

The bank has applications with one planted bug each, and correct applications. The checks that are expected were written by hand. \`npm run check:bank -- --part 1/6 --write\`, and so on to \`6/6\`, runs them and writes this page. The other bars:

| Bar | Command | Result | Tree of \`src\` |
| --- | --- | --- | --- |
${BARS.map(([bar, what, words = '']) => `| ${what} | \`npm run --silent check:bars -- ${bar}${words}\` | ${bars[bar]?.line ?? 'not measured'} | ${bars[bar]?.sources ?? ''} |`).join('\n')}

Each result of the bank is kept when it is there, with the tree of \`src\` that it was measured on. An interrupted part
continues where it stopped. \`prove\` and \`replays\` use the findings that the bank has kept.

Last run: ${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores. The search in a copy with a bug ended when
its check had found it, after ${mostSeconds(planted)} s at most. A correct copy had ${mostSeconds(correct)} s at most. The order is that of seed ${seed}. ${ran.length} of ${all.length} entries ran.

| Bug of the check | Planted | Ran | Found by it | By pairs of faults only | By another check | Not found |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${[...rows, rowOf('**all**', planted, of('planted', all).length)].join('\n')}

- The tree of \`src\`:${treesOf({ planted, correct })}
- Correct applications: ${correct.length} of ${of('correct', all).length} ran, ${correct.filter(({ isRight }) => isRight).length} without a finding.
- Found by pairs of faults only:${list(planted.filter(({ isRight, isPair }) => isRight && isPair))}
- Found by \`--assert\`, as \`matches-ledger\`, where another check could have found them:${list(byLedger)}
- Found by another check:${nested(wrong.map(({ app, name, failed }) => `${app}: ${name} (${failed.join(', ')})`))}
- Not found, or not tried in time:${list(planted.filter(({ failed }) => failed.length === 0))}
- Findings in correct applications:${list(correct.filter(({ isRight }) => !isRight))}
`;
  writeFileSync(PAGE, text);
}

function rowOf(check, ran, planted) {
  const right = ran.filter(({ isRight }) => isRight);
  const missed = ran.filter(({ failed }) => failed.length === 0);
  const pairs = right.filter(({ isPair }) => isPair);
  const cells = [
    planted,
    ran.length,
    right.length,
    pairs.length,
    ran.length - right.length - missed.length,
    missed.length,
  ];
  return `| ${[check, ...cells].join(' | ')} |`;
}
