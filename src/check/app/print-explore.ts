import { stripVTControlCharacters } from 'node:util';
import { assertionIn, tellingLines } from '../../base/output/printed-lines.ts';
import { failedTestsIn } from '../../base/output/reported-tests.ts';
import { counted, placeText } from '../../base/text.ts';
import { codePart, type Difference, part, type ReportBlock, tableParts } from '../../control/orders/report-file.ts';
import type { Item, Printable } from '../print-report.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import type { ShownRun, Trail } from './finding-book.ts';
import { type Entry, entryKey, titleOf, wordsOf } from './schedule.ts';
import { trailLines, withoutRepeats } from './show-run.ts';
import { regressionTest } from './token.ts';

/** What a report does not say and is shown beside it, by the token of each finding. */
export type Shown = ReadonlyMap<string, ShownRun & { trace?: string | undefined }>;

/** How a finding is mended, where that of its statement does not fit. */
const MENDS: Readonly<Record<string, string>> = {
  slow: 'Give every request a time limit, and take what comes after it as a lost answer: it may have been done.',
  'status:500': 'Ask again after a 500, later each time, and then give up: nothing was done, and nothing is charged.',
};
const ANSWER_FIRST = 'Write the event down, answer it 2xx, and do after that what it asks for.';
const MOST_TRAIL = 10;
const MOST_OUTPUT = 4;
const LONGEST = 300;

/** What is to be looked up about a deviation. */
function sectionOf({ deviation }: Entry): string {
  return `docs/explore.md#${deviation.split(':', 1)[0]?.replaceAll('_', '-')}`;
}

/** A failing scenario: what failed, the test and its assertion, then what a page shows of it. */
export function scenarioItem(finding: ReportedFinding, shown: Shown = new Map()): Item {
  const { token, schedule, kind, message, output, tests = [], site, seen, test, again } = finding;
  const [failing] = tests;
  const names = failing ? [failing.name] : failedTestsIn(output.split('\n')).slice(0, 1);
  const assertion = oneLine(failing?.error ?? (kind === 'exit' || kind === 'check' ? assertionIn(output) : ''));
  const failed = names.map((name) => `Test "${name}" failed${placeText(failing)}${assertion && `: ${assertion}`}`);
  const plain = kind === 'exit' && failed.length === 0 && assertion !== '' ? [assertion] : [];
  const where = site && failed.length === 0 ? `In test "${site.name}"${placeText(site)}: ` : '';
  const said = kind === 'exit' && failed.length > 0 ? [] : [where + message];
  const place = failing ?? site;
  return {
    token,
    kind,
    title: schedule.map(wordsOf).join('; '),
    happened: [...said, ...failed, ...plain],
    advice: adviceOf(finding),
    again,
    ...(place && { tests: [place] }),
    marks: ['fails 3 of 3', `${counted(seen, 'scenario')} reduced to this`],
    details: detailsOf(finding, shown.get(token), test),
  };
}

/** How it is mended, where the words of its statement do not fit. */
function adviceOf({ schedule, kind, statement, code }: ReportedFinding): string | undefined {
  if (kind === 'spend' || code?.startsWith('paid_')) return undefined;
  if (kind === 'receiver' && statement === 7) return ANSWER_FIRST;
  return schedule.map(({ deviation }) => MENDS[deviation]).find((mend) => mend !== undefined);
}

function oneLine(text: string): string {
  return stripVTControlCharacters(text).replace(/\s+/g, ' ').trim().slice(0, LONGEST);
}

/** The end of a run matters most. */
function around(trail: Trail): string[] {
  const single = trailLines(withoutRepeats(trail));
  if (single.length <= MOST_TRAIL) return single;
  const head = Math.floor(MOST_TRAIL / 2);
  const left = `   … ${single.length - MOST_TRAIL + 1} more …`;
  return [...single.slice(0, head), left, ...single.slice(1 - MOST_TRAIL + head)];
}

/** What a search has come to, for all formats; `appendix` is what a terminal shows beside it. */
export function printableExplore(report: ExploreReport, shown: Shown = new Map(), appendix = ''): Printable {
  const { findings, unstable, unconfirmed, schedules_run: run, schedules_left: left, seconds, error } = report;
  const tried = Object.entries(report.by_deviation);
  const all = (run + left).toLocaleString('en');
  const title = findings.length === 0 ? 'no findings' : counted(findings.length, 'finding');
  const scenarios = left === 0 ? `all ${all}` : `${run.toLocaleString('en')} of ${all}`;
  const calm = tried.filter(([, { failed }]) => failed === 0).map(([name]) => name);
  const rows = tried.map(([name, counts]) => [name, String(counts.run), String(counts.failed)]);
  const items = findings.map((each) => fullItem(each, shown));
  return {
    of: 'explore',
    version: report.version,
    command: report.command,
    exit: error?.exit_code ?? (findings.length > 0 ? 1 : 0),
    error,
    seconds,
    title,
    sum: run === 0 ? 'No scenario was tried.' : `Tried ${scenarios} scenarios: ${title}.`,
    head: [],
    sections: [
      { title: 'Findings', items },
      { title: 'Unstable', items: unstable.map((each) => unstableItem(each, shown)) },
    ],
    appendix,
    notes: unconfirmed.map((each) => `failed once, and there was no time to run it again: ${titleOf(each.schedule)}`),
    cases: [
      ...tried.map(([name, counts]) => ({ classname: 'deviation', name: `${name}: ${counts.run} scenarios` })),
      ...items.map((item, at) => ({
        classname: 'finding',
        name: titleOf(findings[at]?.schedule ?? []),
        items: [item],
      })),
    ],
    output: unstable.map(({ schedule }) => `unstable: ${titleOf(schedule)}`).join('; '),
    parts: tableParts('By deviation', ['Deviation', 'Run', 'Failed'], rows),
    note: calm.length === 0 ? undefined : { title: 'Tried, none failed', text: calm.join(', ') },
  };
}

/** With all that is known of it. */
function fullItem(finding: ReportedFinding, shown: Shown): Item {
  const { trail = [], remedy, trace } = shown.get(finding.token) ?? {};
  const { schedule, kind, message, seen, output } = finding;
  const item = scenarioItem(finding, shown);
  const hasPrinted = (kind === 'exit' || kind === 'check') && output.trim() !== '';
  const printed = hasPrinted
    ? [
        'It printed:',
        ...tellingLines(output, MOST_OUTPUT)
          .split('\n')
          .map((line) => `  ${line}`),
      ]
    : [];
  const sections = schedule.map(sectionOf).join(', ');
  return {
    ...item,
    heading: message,
    note: seen > 1 ? `${kind}, ${seen} scenarios reduce to this` : kind,
    happened: [...item.happened, ...around(trail), ...printed, ...(trace ? [`Trace: ${trace}`] : [])],
    advice: [remedy ?? item.advice, sections].filter(Boolean).join(' '),
  };
}

function unstableItem(finding: ExploreReport['unstable'][number], shown: Shown): Item {
  const { kind, failed, message } = finding;
  const item = scenarioItem(finding, shown);
  return { ...item, isWarning: true, note: `${kind}, failed ${failed} of 3`, happened: [message], marks: [] };
}

/** Tests that fail until the app copes with what was found, as one file. */
export function printTests(
  findings: Parameters<typeof regressionTest>[0],
  again?: Parameters<typeof regressionTest>[1],
) {
  return findings.length === 0 ? '' : `Vitest regression test:\n\n${regressionTest(findings, again)}`;
}

const SIDES = {
  label: 'The failing run beside a baseline run',
  heads: [
    ['Failing run', 'under this scenario'],
    ['Expected', 'a baseline run of the same outcome'],
  ],
} as const;

function detailsOf(
  finding: ReportedFinding,
  shown: ReturnType<Shown['get']>,
  test: string,
): NonNullable<Item['details']> {
  const { schedule, output } = finding;
  const { trail = [], pairs = [], drawing, differences = [] } = shown ?? {};
  const title = titleOf(schedule);
  const entries = schedule.map((entry) => ({
    words: wordsOf(entry),
    name: entryKey(entry),
    section: sectionOf(entry),
  }));
  const printed: ReportBlock = { kind: 'lines', text: output.trimEnd() };
  const inOrder: ReportBlock = {
    kind: 'lines',
    text: trailLines(trail).join('\n'),
    fold: 'What happened, in its order',
  };
  return [
    [part('Scenario', { kind: 'entries', entries }), part('What failed', whatFailed(finding, differences))],
    ...(drawing ? [[part('The trail of the failing run', { kind: 'drawing', drawing })]] : []),
    [{ blocks: [{ kind: 'pairs', ...SIDES, label: `${SIDES.label}: ${title}`, pairs }] }],
    ...(trail.length === 0 ? [] : [[{ blocks: [inOrder] }]]),
    ...(output.trim() === '' ? [] : [[part('What it printed at the end', printed)]]),
    [codePart('Keep it as a test', test, `Test for ${title}`)],
  ];
}

const MOST_DIFFERENCES = 12;

/** In what the state differs; else what a failure of its kind means. */
function whatFailed({ kind }: ReportedFinding, differences: readonly Difference[]): ReportBlock {
  if (differences.length === 0) return { kind: 'text', text: MEANINGS[kind] };
  const rows = differences.slice(0, MOST_DIFFERENCES).map(({ path, was, is }) => [path, was, is]);
  return { kind: 'table', heads: ['The app’s own state', 'Baseline run', 'Failing run'], rows, isLastMarked: true };
}

/** What a failure of each kind means. */
const MEANINGS: Record<ReportedFinding['kind'], string> = {
  exit: 'The command did not pass.',
  hang: 'The command took more than ten times as long as its baseline run, and 30 s.',
  verdict: 'New problem compared with the baseline run.',
  spend: 'The run cost other credits than a baseline run of the same outcome.',
  receiver: 'A delivery was not answered correctly.',
  probe: 'The app ended in a state in which no baseline run of the same outcome ends.',
  check: 'The check that was given did not pass.',
};
