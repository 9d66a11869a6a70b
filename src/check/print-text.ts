import { asOneLine, countWithNoun, formatFileAndLine, groupBy } from '../base/text.ts';
import { findCheckById } from './checks.ts';
import { type FaultAtSite, formatFaults, type ScenarioFaults } from './faults/fault-at.ts';
import { CHECK_STATES, type CheckReport, type Finding, type ReportedCheck } from './report.ts';
import { decodeToken } from './token.ts';

export const LEFT_OUT_REASON = 'left out by --only or --skip';

export interface PrintableReport {
  report: CheckReport;
  complaints: readonly string[];
  notes: readonly string[];
  /** The number of scenarios that were tried, at all sites and in pairs. Undefined for merged reports. */
  scenarios?: number | undefined;
  /** The file that contains all findings. Undefined if there is none. */
  file?: string | undefined;
}

const [MAX_LINES, MAX_FINDINGS, WIDTH] = [40, 3, 240];

export function formatTextReport(printed: PrintableReport): string {
  const ending = endingLines(printed);
  const sections = failedLines(printed, MAX_LINES - 4 - ending.length);
  const blocks = [[summaryLine(printed.report)], sections, ending].filter((block) => block.length > 0);
  return `${blocks.map((block) => block.join('\n')).join('\n\n')}\n`;
}

export function reportLineColor(line: string): 'red' | 'green' | undefined {
  if (/^\d+ (?:passed|failed)\b/.test(line)) return line.includes(' failed') ? 'red' : 'green';
  if (/^(?:FAILED |Found: )/.test(line)) return 'red';
  return line.startsWith('Passed: ') ? 'green' : undefined;
}

export function summaryLine({ checks }: CheckReport): string {
  const counts = CHECK_STATES.map((state) => [state, checks.filter((each) => each.state === state).length] as const);
  return counts.flatMap(([state, count]) => (count > 0 ? [`${count} ${stateText(state)}`] : [])).join(', ');
}

export function stateText(state: string): string {
  return state.replaceAll('_', ' ');
}

export function findingsOfCheck({ findings: tokens }: ReportedCheck, findings: readonly Finding[]): Finding[] {
  const own = findings.filter(({ token }) => tokens.includes(token));
  return own.toSorted((a, b) => Number(b.state === 'new') - Number(a.state === 'new'));
}

/**
 * Shows at most `MAX_FINDINGS` findings per check in `room` lines, but at least one finding. Each check shows one
 * finding before any shows a second. A last line counts the findings left out.
 */
function failedLines({ report: { checks, findings }, file }: PrintableReport, room: number): string[] {
  const failed = checks.filter(({ state }) => state === 'failed');
  const own = failed.map((check) => ({ id: check.id, blocks: findingsOfCheck(check, findings).map(findingLines) }));
  const turns = Array.from({ length: MAX_FINDINGS }, (_, nth) =>
    own.flatMap(({ id, blocks }) => blocks.slice(nth, nth + 1).map((block) => ({ id, block }))),
  ).flat();
  const shown: typeof turns = [];
  let left = room;
  for (const turn of turns) {
    left -= turn.block.length + Number(!shown.some(({ id }) => id === turn.id));
    if (shown.length > 0 && left < 0) break;
    shown.push(turn);
  }
  const lines = own.flatMap(({ id }) => {
    const blocks = shown.filter((turn) => turn.id === id).map(({ block }) => block);
    return blocks.length > 0 ? [`FAILED ${id}`, ...blocks.flat()] : [];
  });
  const more = own.reduce((sum, { blocks }) => sum + blocks.length, 0) - shown.length;
  if (more === 0) return lines;
  const unseen = own.filter(({ id }) => !shown.some((turn) => turn.id === id)).map(({ id }) => id);
  const also = unseen.length > 0 ? `Also failed: ${unseen.join(', ')}. ` : '';
  return [...lines, `${also}${countWithNoun(more, 'more finding')}. ${whereMoreIs(file)}.`];
}

function whereMoreIs(file: string | undefined): string {
  return file === undefined ? 'Write a report with --report FILE' : `See ${asOneLine(file)}`;
}

export function findingLines(finding: Finding): string[] {
  const { title, advice, replay, state } = finding;
  const known = state === 'new' ? '' : ` (${state})`;
  return [
    cut(`  - ${asOneLine(title)}${known}`),
    ...evidenceLines(finding).map((line) => cut(`    ${line}`)),
    ...(advice === undefined ? [] : [`    Fix: ${asOneLine(advice)}`]),
    `    Replay: ${asOneLine(replay)}`,
  ];
}

export function evidenceLines(finding: Finding): string[] {
  const { test, error, happened } = finding;
  const said = error ?? happened[0];
  const named = test
    ? `Test "${asOneLine(test.name)}"${formatFileAndLine(test)}${error === undefined ? '' : ' failed'}: `
    : '';
  return [...(test || said !== undefined ? [`${named}${asOneLine(said ?? '')}`] : []), ...otherSiteLines(finding)];
}

function endingLines({ report, complaints, notes, scenarios, file }: PrintableReport): string[] {
  const { checks, expects_success: expecting, measured } = report;
  const excused = checks.filter(({ state, why }) => state === 'passed' && why !== undefined);
  const suspected = checks.filter(({ state, why }) => state === 'failed' && why !== undefined);
  const untested = checks.filter(({ state, why }) => state === 'not_tested' && why !== LEFT_OUT_REASON);
  const leftOut = checks.filter(({ why }) => why === LEFT_OUT_REASON).map(({ id }) => id);
  const idle = checks.filter(({ state }) => state === 'not_applicable').map(({ id }) => id);
  const more = (scenarios ?? 0) - measured.run;
  const others = more > 0 ? `, and ${more} more at other sites or in pairs,` : '';
  return [
    ...suspected.map(({ id, why, next }) => `Also ${id} ${why}: ${next}`),
    ...excused.map(({ id, why }) => `Passed: ${id} (${why})`),
    ...[...groupBy(untested, ({ why = '' }) => why)].map(untestedText),
    ...(leftOut.length > 0 ? [`Not tested, ${LEFT_OUT_REASON}: ${leftOut.join(', ')}`] : []),
    ...(idle.length > 0 ? [`Not applicable: ${idle.join(', ')}`] : []),
    ...expecting.slice(0, MAX_FINDINGS).map(describeTestExpectingSuccess),
    ...(expecting.length > MAX_FINDINGS
      ? [`Expects success: ${expecting.length - MAX_FINDINGS} more. ${whereMoreIs(file)}.`]
      : []),
    ...complaints,
    ...notes,
    `Tried ${measured.run} of ${countWithNoun(measured.planned, 'scenario')}${others} in ${Math.round(measured.seconds)} s.`,
  ].map((line) => asOneLine(line));
}

export function otherSiteLines({ token, also }: Finding): string[] {
  const own = faultsOf(token);
  const isOwn = ({ site, fault }: FaultAtSite) => own.some((each) => each.site === site && each.fault === fault);
  const named = also.map((each) => {
    const others = faultsOf(each).filter((at) => !isOwn(at));
    const isSiteAlone = own.length === 1 && others.every(({ fault }) => fault === own[0]?.fault);
    return isSiteAlone ? others.map(({ site }) => site).join() : formatFaults(others);
  });
  const sites = [...new Set(named)].filter(Boolean);
  return sites.length > 0 ? [`Also at: ${sites.join(', ')}`] : [];
}

function faultsOf(token: string): ScenarioFaults {
  const scene = decodeToken(token)?.scene;
  return scene?.kind === 'fault' ? scene.faults : [];
}

function untestedText([why, checks]: [string, ReportedCheck[]]): string {
  const ids = checks.map(({ id }) => id);
  const counted = checks.map(({ id, tried: { run, of } }) => (of === 0 ? id : `${id} ${run} of ${of}`));
  const next = checks[0]?.next?.replace(`--only ${ids[0]}`, `--only ${ids.join(',')}`);
  return `Not tested: ${counted.join(', ')} (${why})${next === undefined ? '' : `: ${next}`}`;
}

export function describeTestExpectingSuccess({ test, fault, did }: CheckReport['expects_success'][number]): string {
  return `Expects success, nothing to fix: ${test} under ${fault} (${did})`;
}

function cut(line: string): string {
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}

export function formatReplayResult({ report: { findings, error }, notes }: PrintableReport): string {
  const failed = findings.flatMap((finding) => [`FAILED ${finding.check}`, ...findingLines(finding)]);
  const passed = error === undefined ? ['Passed: the finding does not occur.'] : notes;
  return (failed.length > 0 ? failed : passed).map((line) => `${line}\n`).join('');
}

export function formatCheckTitle({ id }: Pick<ReportedCheck, 'id'>): string {
  return `Your integration ${findCheckById(id).title}`;
}
