import { counted } from '../../base/counted.ts';
import { tellingLines } from '../../base/output/printed-lines.ts';
import {
  codePart,
  type Difference,
  part,
  type ReportArticle,
  type ReportBlock,
  type ReportFile,
  tableParts,
} from '../../control/orders/report-file.ts';
import type { ExploreReport, ReportedFinding } from './explore-report.ts';
import type { Finding } from './finding-book.ts';
import { trailLines } from './pair-trails.ts';
import { sectionOf } from './print-finding.ts';
import { entryKey, titleOf, wordsOf } from './schedule.ts';

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
      sum: `${counted(run, 'scenario')} in ${Math.round(seconds)} s, ${left} left; bound ${bound}, seed ${seed}.`,
      groups: [
        { title: 'Findings', articles: findings.map((each) => articleOf(each, 'bad', ['fails 3 of 3', shown])) },
        {
          title: 'Unstable',
          articles: unstable.map((each) => articleOf(each, 'wait', [`failed ${each.failed} of 3`, shown])),
        },
      ],
      note: calm.length === 0 ? undefined : { title: 'Tried, none failed', text: calm.join(', ') },
      parts: tableParts('By deviation', ['Deviation', 'Run', 'Failed'], rows),
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
  return {
    ...{ id: token, title: titleOf(schedule), note: `${kind}, ${counted(seen, 'scenario')}`, heading: message },
    badge: { tone, text: kind },
    notes: [failed, `${counted(seen, 'scenario')} reduced to this`],
    rows: [
      [part('Scenario', { kind: 'entries', entries }), part('What failed', ...whatFailed(finding, differences))],
      ...(drawing ? [[part('The trail of the failing run', { kind: 'drawing', drawing })]] : []),
      [{ blocks: [{ kind: 'pairs', ...SIDES, label: `${SIDES.label}: ${titleOf(schedule)}`, pairs }] }],
      ...(trail.length === 0
        ? []
        : [[{ blocks: [{ kind: 'lines' as const, text: trailLines(trail).join('\n'), fold: IN_ORDER }] }]]),
      [
        codePart('Run it again', again, `Command for ${titleOf(schedule)}`),
        codePart('Keep it as a test', test, `Test for ${titleOf(schedule)}`),
      ],
      ...(output.trim() === ''
        ? []
        : [[part('What it printed at the end', { kind: 'lines', text: output.trimEnd() })]]),
    ],
  };
}

const IN_ORDER = 'What happened, in its order';
const SIDES = {
  label: 'The failing run beside a baseline run',
  heads: [
    ['Failing run', 'under this scenario'],
    ['Expected', 'a baseline run of the same outcome'],
  ],
} as const;

const MOST_DIFFERENCES = 12;

/** In what the state differs; else what a failure of its kind means, and what the story printed of it. */
function whatFailed({ kind, output }: ReportedFinding, differences: readonly Difference[]): ReportBlock[] {
  if (differences.length > 0) {
    const rows = differences.slice(0, MOST_DIFFERENCES).map(({ path, was, is }) => [path, was, is]);
    return [{ kind: 'table', heads: ['The app’s own state', 'Baseline run', 'Failing run'], rows, isLastMarked: true }];
  }
  const meaning: ReportBlock = { kind: 'text', text: MEANINGS[kind] };
  return kind === 'exit' && output.trim() !== ''
    ? [meaning, { kind: 'lines', text: tellingLines(output, 2) }]
    : [meaning];
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
