import { counted } from '../../base/counted.ts';
import { type JunitCase, printJunitXml } from '../../base/junit.ts';
import { tellingLines } from '../../base/output/printed-lines.ts';
import type { ExploreReport } from './explore-report.ts';
import type { Finding } from './finding-book.ts';
import { type Trail, trailLines, withoutRepeats } from './pair-trails.ts';
import { type Entry, titleOf, wordsOf } from './schedule.ts';
import { type Again, regressionTest, replayLine } from './token.ts';

const MOST_TRAIL = 10;
const MOST_OUTPUT = 4;
const WIDTH = 118;

/** What is to be looked up about a deviation. */
export function sectionOf({ deviation }: Entry): string {
  return `docs/explore.md#${deviation.split(':', 1)[0]?.replaceAll('_', '-')}`;
}

/** A finding as a colleague would report it: at most 25 lines. */
export function printFinding(finding: Finding, n: number, again?: Again): string {
  const { schedule, kind, message, remedy, seen, output, token, trail } = finding;
  const shown =
    output.trim() === ''
      ? []
      : [
          '  It printed:',
          ...tellingLines(output, MOST_OUTPUT)
            .split('\n')
            .map((line) => `    ${line}`),
        ];
  const more = seen > 1 ? ` (${seen} scenarios reduce to this)` : '';
  return [
    `${n}. ${kind}: ${message}${more}`,
    '  When',
    ...schedule.map((entry) => `    ${wordsOf(entry)}`),
    '  What happened',
    ...around(trail).map((line) => `    ${line}`),
    ...(kind === 'exit' || kind === 'check' ? shown : []),
    ...(remedy === undefined ? [] : ['  What to do', ...wrapped(remedy).map((line) => `    ${line}`)]),
    `  How to fix it: ${schedule.map(sectionOf).join(', ')}`,
    '  See it again',
  ]
    .map((line) => (line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`))
    .concat(`    ${replayLine(token, again)}`)
    .join('\n');
}

/** A text in lines that fit. */
function wrapped(text: string): string[] {
  return text.match(new RegExp(`\\S.{0,${WIDTH - 6}}(?=\\s|$)`, 'g')) ?? [];
}

/** The end of a run matters most. */
function around(trail: Trail): string[] {
  const single = trailLines(withoutRepeats(trail));
  if (single.length <= MOST_TRAIL) return single;
  const head = Math.floor(MOST_TRAIL / 2);
  return [
    ...single.slice(0, head),
    `   … ${single.length - MOST_TRAIL + 1} more …`,
    ...single.slice(1 - MOST_TRAIL + head),
  ];
}

/** The same findings as a file for Vitest, below a line that says so; nothing where nothing was found. */
export function printTests(findings: readonly Finding[], again?: Again): string {
  if (findings.length === 0) return '';
  return `Vitest regression test:\n\n${regressionTest(findings, again)}`;
}

/** What a search has come to, after its findings. */
export function printSummary(result: {
  schedulesRun: number;
  schedulesLeft: number;
  findings: readonly unknown[];
  unstable: readonly Finding[];
  unconfirmed: readonly Finding[];
}): string {
  const { schedulesRun, schedulesLeft, findings, unstable, unconfirmed } = result;
  const all = (schedulesRun + schedulesLeft).toLocaleString('en');
  const tried = schedulesLeft === 0 ? `all ${all}` : `${schedulesRun.toLocaleString('en')} of ${all}`;
  const found = findings.length === 0 ? 'no findings' : counted(findings.length, 'finding');
  return [
    schedulesRun === 0 ? 'No scenario was tried.' : `Tried ${tried} scenarios: ${found}.`,
    ...unstable.map((each) => `unstable: ${titleOf(each.schedule)} (${each.kind}: ${each.message})`),
    ...unconfirmed.map((each) => `failed once, and there was no time to run it again: ${titleOf(each.schedule)}`),
  ].join('\n');
}

/** The report as JUnit XML: a test for each deviation that was tried, and one that fails for each finding. */
export function printExploreJunit(report: ExploreReport): string {
  const { command: suite, seconds, findings, unstable, error } = report;
  const tried = Object.entries(report.by_deviation).map(([name, { run }]): JunitCase => {
    return { classname: 'deviation', name: `${name}: ${run} scenarios` };
  });
  const failed = findings.map(({ schedule, kind: type, message, output, again }): JunitCase => {
    return { classname: 'finding', name: titleOf(schedule), failure: { type, message, body: [`${again} ${output}`] } };
  });
  const notes = unstable.map(({ schedule }) => `unstable: ${titleOf(schedule)}`).join('; ');
  return printJunitXml({ of: 'explore', suite, seconds, cases: [...tried, ...failed], error, output: notes });
}
