import { counted } from '../log/counted.ts';
import { DEVIATIONS } from './deviation-table.ts';
import type { Finding } from './finding-book.ts';
import { tellingLines } from './plain-runs.ts';
import { regressionTest } from './regression-test.ts';
import { type Again, replayLine } from './replay-line.ts';
import { type Entry, titleOf } from './schedule.ts';

const MOST_TRAIL = 10;
const MOST_OUTPUT = 4;
const WIDTH = 118;

/** A schedule in words: `delivery music.generation.succeeded #1 comes twice, the second after the first was answered`. */
export function wordsOf({ step, deviation }: Entry): string {
  const row = DEVIATIONS.find(
    (each) =>
      each.name === deviation && (step.startsWith('delivery') === each.at.includes('delivery') || each.at.length > 3),
  );
  return `${step} ${row?.words ?? deviation}`;
}

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
  const more = seen > 1 ? ` (${seen} schedules come to this)` : '';
  return [
    `${n}. ${kind}: ${message}${more}`,
    '  When',
    ...schedule.map((entry) => `    ${wordsOf(entry)}`),
    '  What happened',
    ...around(trail).map((line) => `    ${line}`),
    ...(kind === 'exit' || kind === 'check' ? shown : []),
    ...(remedy === undefined ? [] : ['  What to do', ...wrapped(remedy).map((line) => `    ${line}`)]),
    `  How a client meets it: ${schedule.map(sectionOf).join(', ')}`,
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

/** The end of what happened tells most; of reads that repeat one is enough. */
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
