import { counted } from '../base/counted.ts';
import { type JunitCase, printJunitXml } from '../base/junit.ts';
import { markdownList, markdownTable, markdownText, printMarkdown } from '../base/markdown.ts';
import { printSarifRun } from '../base/sarif.ts';
import { titleOf } from './app/schedule.ts';
import type { CheckFinding, CheckReport, State, Statement } from './check-report.ts';
import type { JudgedCheck } from './make-check-report.ts';

const MOST_LINES = 40;
/** Findings of a statement. */
const MOST_SHOWN = 3;
/** Lines of what happened. */
const MOST_HAPPENED = 2;
const WIDTH = 160;
const WORDS: Record<State, string> = {
  held: 'held',
  broken: 'broken',
  not_looked_at: 'not looked at',
  does_not_apply: 'do not apply',
};

/** "11 held, 2 broken, 3 not looked at". */
export function countsLine({ statements }: Pick<CheckReport, 'statements'>): string {
  const counts = (Object.keys(WORDS) as State[]).flatMap((state) => {
    const { length } = statements.filter((each) => each.state === state);
    return length > 0 ? [`${length} ${WORDS[state]}`] : [];
  });
  return counts.join(', ');
}

/** The answer for a reader, in at most 40 lines. */
export function printCheck({ report, complaints }: JudgedCheck, isAgain = false): string {
  const head = [countsLine(report), ''];
  const tail = [
    ...(isAgain ? [] : [...unseenLines(report.statements), ...expectsLines(report)]),
    ...complaints,
    measuredLine(report),
  ];
  const ending = tail.slice(-MOST_LINES / 2);
  const lines = [...head, ...brokenLines(report, MOST_LINES - head.length - ending.length), ...ending];
  return `${lines.map(cut).join('\n')}\n`;
}

/** A command is whole, or of no use. */
function cut(line: string): string {
  return line.length <= WIDTH || line.includes(' --again ') ? line : `${line.slice(0, WIDTH - 1)}…`;
}

function brokenLines({ statements, findings }: CheckReport, room: number): string[] {
  const broken = statements.filter(({ state }) => state === 'broken');
  const lines: string[] = [];
  for (const [at, statement] of broken.entries()) {
    const left = broken.length - at;
    const own = findings.filter((finding) => finding.statement === statement.id);
    const blocks = own.slice(0, MOST_SHOWN).map(findingLines);
    const share = Math.floor((room - lines.length) / left);
    lines.push(...fitted(statement, { blocks, total: own.length, share }));
  }
  return lines;
}

/** A statement with as many of its findings as have room, and at least its first command. */
function fitted(
  { id, text, why }: Statement,
  { blocks, total, share }: { blocks: readonly string[][]; total: number; share: number },
): string[] {
  const [first = [], ...others] = blocks;
  const shown = [shortened(first, share - 1)];
  for (const block of others) {
    if (1 + shown.flat().length + block.length > share) break;
    shown.push(block);
  }
  const left = total - shown.length;
  const notes = [why, left > 0 ? `${left} more in the report` : undefined].filter(Boolean).join('; ');
  return [`BROKEN ${id}. Your integration ${text}: no${notes && ` (${notes})`}`, ...shown.flat()];
}

/** Without what happened, its last line first, and then without the advice: its title and its command stay. */
function shortened(block: readonly string[], room: number): string[] {
  const left = [...block];
  while (left.length > Math.max(2, room)) left.splice(Math.max(1, left.length - 3), 1);
  return left;
}

function findingLines({ title, happened, advice, again }: CheckFinding): string[] {
  return [
    `  - ${title}`,
    ...happened.slice(0, MOST_HAPPENED).map((line) => `    ${line.split('\n')[0]}`),
    ...(advice === '' ? [] : [`    To mend: ${advice.split('\n').at(-1)?.trim()}`]),
    `    Again: ${again}`,
  ];
}

/** What nobody asked for is one line. */
function unseenLines(statements: readonly Statement[]): string[] {
  const unseen = statements.filter(({ state }) => state === 'not_looked_at');
  const isAsked = ({ why = '' }: Statement) => !why.endsWith('was not asked for') && !why.startsWith('left out by');
  const others = unseen.filter((each) => !isAsked(each)).map(({ id }) => id);
  const idle = statements.filter(({ state }) => state === 'does_not_apply').map(({ id }) => id);
  return [
    ...unseen
      .filter(isAsked)
      .map(({ id, text, why, next }) => `Not looked at: ${id}. ${text} (${why?.split('\n')[0]}): ${next}`),
    ...(others.length > 0 ? [`Not asked for: ${others.join(', ')}.`] : []),
    ...(idle.length > 0 ? [`Do not apply, as the tests have no such traffic: ${idle.join(', ')}.`] : []),
  ];
}

/** Tests that cannot pass where the service refuses: listed once, and no finding. */
function expectsLines({ parts: { app } }: CheckReport): string[] {
  return (app?.expects_success ?? []).map(({ schedule, test, did }) => {
    const names = schedule.map(({ deviation }) => `--expect-failure ${deviation}`).join(' ');
    return `Expects success (for good: ${names}): ${test} under ${titleOf(schedule)} (${did}).`;
  });
}

function measuredLine({ measured: { run, planned, seconds }, parts: { app, tests } }: CheckReport): string {
  const runs = (app?.schedules_run ?? 0) + (tests?.measured.runs ?? 0);
  return `Tried ${run} of ${planned} kinds of scenarios and lies, in ${counted(runs, 'run')} and ${Math.round(seconds)} s.`;
}

/** JUnit XML: a test for each statement. */
export function printCheckJunit({ report }: JudgedCheck): string {
  const { command: suite, measured, statements, findings, error } = report;
  const cases = statements.map(({ id, text, state, why, next }): JunitCase => {
    const test = { classname: 'statement', name: `${id}. Your integration ${text}` };
    if (state === 'held') return test;
    if (state !== 'broken') return { ...test, skipped: [why, next].filter(Boolean).join(': ') };
    const own = findings.filter(({ statement }) => statement === id);
    const [first] = own;
    const body = own.flatMap((finding) => findingLines(finding));
    return { ...test, failure: { message: first?.title ?? text, type: first?.kind ?? '', body } };
  });
  return printJunitXml({ of: 'check', suite, seconds: measured.seconds, cases, error });
}

/** Markdown for the summary of a CI run, and for a comment. */
export function printCheckMarkdown({ report, complaints }: JudgedCheck): string {
  const broken = report.statements.filter(({ state }) => state === 'broken');
  const blocks = broken.flatMap(({ id, text }) => {
    const own = report.findings.filter(({ statement }) => statement === id);
    return [`**${id}. Your integration ${text}: no**`, own.slice(0, MOST_SHOWN).flatMap(markdownOf).join('\n')];
  });
  const states = report.statements.map(({ id, text, state, evidence, why }) => {
    return [id, text, WORDS[state], state === 'held' ? evidence.join('; ') : (why ?? '')];
  });
  return printMarkdown(`Check: ${countsLine(report)}`, [
    ...blocks,
    markdownList(complaints.map(markdownText)),
    markdownText(report.error?.message ?? ''),
    markdownTable(['', 'Your integration', '', ''], states),
    measuredLine(report),
  ]);
}

function markdownOf({ title, happened, advice, again }: CheckFinding): string[] {
  const lines = [...happened.slice(0, MOST_HAPPENED), `To mend: ${advice}`].map((line) => `  ${markdownText(line)}  `);
  return [`- ${markdownText(title)}  `, ...lines, `  \`${again.replaceAll('`', "'")}\``];
}

/** SARIF 2.1.0: a result for each finding, at the test's file and line where they are known. */
export function printCheckSarif({ report }: JudgedCheck): string {
  const { statements, findings, version, exit, command } = report;
  const broken = statements.filter(({ state }) => state === 'broken');
  const rules = broken.map(({ id, text }) => ({
    id: `statement-${id}`,
    shortDescription: { text: `The integration ${text}: no` },
    help: { text: findings.find(({ statement }) => statement === id)?.advice ?? '' },
  }));
  const results = findings.map((finding) => ({
    ruleId: `statement-${finding.statement}`,
    level: finding.part === 'tests' ? ('warning' as const) : ('error' as const),
    text: [finding.title, ...finding.happened, `To mend: ${finding.advice}`, finding.again].join('\n'),
    file: finding.file,
    line: finding.line,
    fingerprint: `${finding.part} ${finding.title}`,
  }));
  return printSarifRun({ of: 'check', version, exit, command, rules, results });
}

/** One finding as text, for an assistant or a colleague. */
export function findingText(finding: CheckFinding, text: string): string {
  return [`The integration should have this property: it ${text}. It does not.`, ...findingLines(finding)].join('\n');
}
