import { counted } from '../log/log.ts';
import { xmlText } from '../report-card/xml-text.ts';
import type { Difference, ReportArticle, ReportBlock, ReportFile } from '../trace/report-file.ts';
import { DEVIATIONS } from './deviation-table.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import { type Finding, tellingLines } from './finding-book.ts';
import { type Entry, entryKey, titleOf } from './schedule.ts';
import { type Again, regressionTest, replayLine } from './token.ts';

const MOST_TRAIL = 10;
const MOST_OUTPUT = 4;
const WIDTH = 118;

/** A schedule in words: `delivery music.generation.succeeded #1 comes twice, the second after the first was answered`. */
function wordsOf({ step, deviation }: Entry): string {
  const row = DEVIATIONS.find(
    (each) =>
      each.name === deviation && (step.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${step} ${row?.words ?? deviation}`;
}

/** What is to be looked up about a deviation. */
function sectionOf({ deviation }: Entry): string {
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
  const more = seen > 1 ? ` (${seen} schedules come to this)` : '';
  return [
    `${n}. ${kind}: ${message}${more}`,
    '  When',
    ...schedule.map((entry) => `    ${wordsOf(entry)}`),
    '  What happened',
    ...around(trail).map((line) => `    ${line}`),
    ...(kind === 'exit' || kind === 'check' ? shown : []),
    ...(remedy === undefined ? [] : ['  What to do', ...wrapped(remedy).map((line) => `    ${line}`)]),
    `  How a client deals with it: ${schedule.map(sectionOf).join(', ')}`,
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

/** The end of a run matters most; of repeated reads one is enough. */
function around(trail: readonly string[]): string[] {
  const wordings = trail.map((line) => line.replace(/^\s*\S+(?: ms)?\s+/, ''));
  const single = trail.filter((_, at) => wordings[at] !== wordings[at - 1]);
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
  return `As a regression test of Vitest:\n\n${regressionTest(findings, again?.words)}`;
}

/** What a search has come to, after its findings. */
export function printSummary(result: {
  schedulesRun: number;
  schedulesLeft: number;
  findings: readonly unknown[];
  unstable: readonly Finding[];
}): string {
  const { schedulesRun, schedulesLeft, findings, unstable } = result;
  const left = schedulesLeft === 0 ? 'nothing is left' : `${schedulesLeft} are left`;
  const found = findings.length === 0 ? 'nothing found' : counted(findings.length, 'finding');
  const ran =
    schedulesRun === 0 ? `No schedule was run, ${left}` : `${counted(schedulesRun, 'schedule')} run, ${left}: ${found}`;
  return [
    `${ran}.`,
    ...unstable.map((each) => `unstable: ${titleOf(each.schedule)} (${each.kind}: ${each.message})`),
  ].join('\n');
}

/** The report as JUnit XML: a test for each deviation that was tried, and one that fails for each finding. */
export function printExploreJunit(report: ExploreReport): string {
  const { findings, unstable, error, by_deviation: counts } = report;
  const errors = error ? 1 : 0;
  const tests = Object.keys(counts).length + findings.length + errors;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="svc-emulator explore" tests="${tests}" failures="${findings.length}" errors="${errors}">`,
    `  <testsuite name="${xmlText(report.command)}" tests="${tests}" failures="${findings.length}" errors="${errors}" time="${report.seconds}">`,
    ...Object.entries(counts).map(
      ([name, { run }]) => `    <testcase classname="deviation" name="${xmlText(name)}: ${run} schedules"/>`,
    ),
    ...(error
      ? [
          '    <testcase classname="explore" name="ends well">',
          `      <error type="exit ${error.exit_code}" message="${xmlText(error.message)}"/>`,
          '    </testcase>',
        ]
      : []),
    ...findings.flatMap(({ schedule, kind, message, output, again }) => [
      `    <testcase classname="finding" name="${xmlText(titleOf(schedule))}">`,
      `      <failure type="${kind}" message="${xmlText(message)}">${xmlText(`${again} ${output}`)}</failure>`,
      '    </testcase>',
    ]),
    ...(unstable.length === 0
      ? []
      : [
          `    <system-out>${xmlText(unstable.map(({ schedule }) => `unstable: ${titleOf(schedule)}`).join('; '))}</system-out>`,
        ]),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** What a report does not say and its page shows, by the token of each finding. */
export type Shown = ReadonlyMap<string, Pick<Finding, 'trail' | 'pairs' | 'drawing' | 'differences'>>;

/** The report as a page shows it. */
export function reportFile(report: ExploreReport, shown: Shown): ReportFile {
  const { findings, unstable, command, schedules_run: run, schedules_left: left, seconds, seed, bound } = report;
  const tried = Object.entries(report.by_deviation);
  const calm = tried.flatMap(([name, { failed }]) => (failed === 0 ? [name] : []));
  const rows = tried.map(([name, counts]) => [name, String(counts.run), String(counts.failed)]);
  return {
    report: {
      ...{ of: 'explore', command, error: report.error?.message },
      title: findings.length === 0 ? 'No findings' : counted(findings.length, 'finding'),
      sum: `${counted(run, 'schedule')} in ${Math.round(seconds)} s, ${left} left; bound ${bound}, seed ${seed}.`,
      groups: [
        { title: 'Findings', articles: findings.map((each) => articleOf(each, 'bad', ['fails 3 of 3', shown])) },
        {
          title: 'Unstable',
          articles: unstable.map((each) => articleOf(each, 'wait', [`failed ${each.failed} of 3`, shown])),
        },
      ],
      note: calm.length === 0 ? undefined : { title: 'Tried, none failed', text: calm.join(', ') },
      parts: [{ title: 'By deviation', blocks: [{ kind: 'table', heads: ['Deviation', 'Run', 'Failed'], rows }] }],
    },
  };
}

function articleOf(
  finding: ReportedFinding,
  tone: 'bad' | 'wait',
  [failed, shown]: readonly [string, Shown],
): ReportArticle {
  const { schedule, kind, message, seen, output, token, test, again } = finding;
  const { trail = [], pairs = [], drawing, differences = [] } = shown.get(token) ?? {};
  const entries = schedule.map((entry) => ({
    words: wordsOf(entry),
    name: entryKey(entry),
    section: sectionOf(entry),
  }));
  const printed = output.trim() === '' ? [] : [{ kind: 'lines' as const, text: output.trimEnd() }];
  return {
    ...{ id: token, title: titleOf(schedule), note: `${kind}, ${counted(seen, 'schedule')}`, heading: message },
    badge: { tone, text: kind },
    notes: [failed, `${counted(seen, 'schedule')} shrank to this`],
    rows: [
      [
        { title: 'The schedule', blocks: [{ kind: 'entries', entries }] },
        { title: 'What failed', blocks: whatFailed(finding, differences) },
      ],
      ...(drawing
        ? [[{ title: 'The trail of the failing run', blocks: [{ kind: 'drawing' as const, drawing }] }]]
        : []),
      [{ blocks: [{ kind: 'pairs', ...SIDES, pairs }] }],
      ...(trail.length === 0
        ? []
        : [[{ blocks: [{ kind: 'lines' as const, text: trail.join('\n'), fold: IN_ORDER }] }]]),
      [
        { title: 'Run it again', blocks: [{ kind: 'code', text: again, label: `Command for ${titleOf(schedule)}` }] },
        { title: 'Keep it as a test', blocks: [{ kind: 'code', text: test, label: `Test for ${titleOf(schedule)}` }] },
      ],
      ...(printed.length === 0 ? [] : [[{ title: 'What it printed at the end', blocks: printed }]]),
    ],
  };
}

const IN_ORDER = 'What happened, in its order';
const SIDES = {
  label: 'The failing run beside an undisturbed one',
  heads: [
    ['What happened here', 'the run that failed'],
    ['What should have come', 'an undisturbed run of the same outcome'],
  ],
} as const;

const MOST_DIFFERENCES = 12;

/** In what the state differs; else what a failure of its kind means, and what the story printed of it. */
function whatFailed({ kind, output }: ReportedFinding, differences: readonly Difference[]): ReportBlock[] {
  if (differences.length > 0) {
    const rows = differences.slice(0, MOST_DIFFERENCES).map(({ path, was, is }) => [path, was, is]);
    return [{ kind: 'table', heads: ['The app’s own state', 'Undisturbed', 'Here'], rows, isLastMarked: true }];
  }
  const meaning: ReportBlock = { kind: 'text', text: MEANINGS[kind] };
  return kind === 'exit' && output.trim() !== ''
    ? [meaning, { kind: 'lines', text: tellingLines(output, 2) }]
    : [meaning];
}

/** What a failure of each kind means. */
const MEANINGS: Record<ReportedFinding['kind'], string> = {
  exit: 'The story itself did not pass.',
  hang: 'The story took ten times as long as its plain run, and 30 s more.',
  verdict: 'The emulator’s verdict found what it does not find in the plain run.',
  spend: 'The service took other credits than in an undisturbed run of the same outcome.',
  receiver: 'A delivery was not answered as it has to be.',
  probe: 'The app’s own state is one that no undisturbed run of the same outcome ends in.',
  check: 'The check that was given did not pass.',
};
