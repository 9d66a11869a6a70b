import { stripVTControlCharacters } from 'node:util';
import { comparableErrorLine, extractErrorText, isShortenedError } from '../base/output/output-line.ts';
import { countWithNoun } from '../base/text.ts';
import { withoutThrownMark } from '../client/runners/error-origin.ts';
import { qualifiedTestName } from '../engine/accounts/tests.ts';
import { findAdviceForCause } from './advice.ts';
import type { CheckId } from './checks.ts';
import { seesMoreSpent } from './faults/expected-success.ts';
import { checkIdOfFailedScenario, type Failure, PAID_MORE_CODE } from './faults/failed-check.ts';
import { describeFault, describeFaults, formatFaults } from './faults/fault-at.ts';
import { verdictFindingKey } from './faults/judge.ts';
import { siteNameOfRequest } from './faults/site.ts';
import type { Scenario } from './plan.ts';
import { type Finding, toTestLocation } from './report.ts';
import { filterRecordByTests } from './runner/combine-records.ts';
import { type RequestRow, type RunRecord, toFailedTest } from './runner/run-record.ts';
import type { Run, TraceHeading } from './runner/runner.ts';
import { encodeToken } from './token.ts';

export interface FailedRun {
  run: Run;
  failure: Failure;
}

export interface FailureFinding {
  finding: Omit<Finding, 'state' | 'replay'>;
  scenario: Pick<Scenario, 'faults' | 'kind'>;
  failure: Failure;
  /**
   * The first line of the last error in the output, with `#` in place of words with digits. Failures of kind `exit` are
   * compared by it.
   */
  assertion: string;
  /** Other findings with the same fix. Their tokens are in `finding.also`. */
  joined?: readonly FailureFinding[];
}

export interface FailureFindingInput {
  version: string;
  seed: number;
  /** The `siteNamesFingerprint` of the baseline run, which tokens contain. */
  command: string;
  verdicts: readonly string[];
  mask(text: string): string;
}

const MAX_ERROR = 1000;
const MAX_DETAILS = 8;
const MATCHER = /^(?:Error: )?expect\(.*\)\.\w/;
const DIFFERENCE = /^\s*[+-](?! (?:actual - expected|Expected {2}|Received {2}))\s/;
const MAX_TIMELINE = 12;

export function findCheckIdOfFailure(
  { faults }: Pick<Scenario, 'faults'>,
  failed: FailedRun,
  verdicts: readonly string[],
): CheckId {
  const { record } = failed.run;
  const added = record.findings.filter((each) => !verdicts.includes(verdictFindingKey(record, each)));
  const paid = failed.failure.kind === 'exit' && seesMoreSpent(failed.run) ? [PAID_MORE_CODE] : [];
  const codes = [...added.map(({ finding }) => finding), ...paid];
  return checkIdOfFailedScenario({ scenario: faults, ...failed.failure, codes });
}

export function makeFailureFinding(scenario: Scenario, failed: FailedRun, parts: FailureFindingInput): FailureFinding {
  const { version, seed, command, verdicts, mask } = parts;
  const { run, failure } = failed;
  const { faults } = scenario;
  const check = findCheckIdOfFailure(scenario, failed, verdicts);
  const scene = { kind: 'fault', command, faults: faults.map(({ site, fault }) => ({ site, fault })) } as const;
  const own = ofTests(run, scenario);
  const broke = failedTest(run, mask);
  const [row] = own.record.tests ?? [];
  const test = broke ?? (own === run || !row ? undefined : toTestLocation(toFailedTest(row)));
  const error = ['exit', 'hang'].includes(failure.kind) ? errorOf(run, mask) : undefined;
  const message = mask(failure.message);
  const isSaid = failure.kind === 'exit' && (broke !== undefined || error !== undefined);
  const advice = findAdviceForCause({ scenario: faults, check, ...failure });
  return {
    finding: {
      token: encodeToken({ version, seed, check, scene }),
      also: [],
      check,
      kind: 'fault',
      title: describeFaults(faults),
      ...(test && { test }),
      ...(error !== undefined && { error }),
      happened: [...(isSaid ? [] : [message]), ...timelineOf(own)],
      ...(advice !== undefined && { advice }),
    },
    scenario,
    failure: { ...failure, message },
    assertion: comparableErrorLine(mask(stripVTControlCharacters(run.output))),
  };
}

function failedTest({ record, failure }: Run, mask: (text: string) => string) {
  const [reported] = record.failedTests ?? [];
  return failure && reported && toTestLocation({ ...reported, name: mask(reported.name) });
}

function errorOf({ record, output, failure }: Run, mask: (text: string) => string): string | undefined {
  const [reported] = record.failedTests ?? [];
  const text = reported ? (reported.error ?? '') : failure?.kind === 'exit' ? extractErrorText(output, 1) : '';
  const lines = mask(stripVTControlCharacters(withoutThrownMark(text)))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const [line = '', ...more] = lines;
  // The first line of an error of Jest or Playwright names only the matcher, so the lines with the values are added.
  const first = MATCHER.test(line) ? `${line.replace(/ \/\/ .*/, '')}:` : line;
  // Shows the lines with the values that differ, in place of the legend that node:assert prints above them.
  const differing = more.filter((line) => DIFFERENCE.test(line));
  const details = (differing.length > 0 ? differing : more).slice(0, MAX_DETAILS);
  const isShortened = isShortenedError(first) && differing.length > 0;
  const said = first.trimEnd().endsWith(':') || isShortened ? `${first} ${details.join('; ')}` : first;
  return said.trim().replace(/\s+/g, ' ').slice(0, MAX_ERROR) || undefined;
}

function ofTests(run: Run, { faults }: Scenario): Run {
  const sites = new Set(faults.map(({ at }) => at.test));
  const rows = run.record.tests?.filter((row) => row.outcome === 'failed' || sites.has(qualifiedTestName(row))) ?? [];
  if (rows.length === 0) return run;
  return { ...run, record: { ...run.record, ...filterRecordByTests(run.record, rows, true) } };
}

export function makeTraceHeading({ scenario: { faults }, failure: { kind, message } }: FailureFinding): TraceHeading {
  return {
    title: formatFaults(faults).slice(0, 500),
    failure: `${kind}: ${message}`.slice(0, 10_000),
    scenario: faults.map((each) => describeFault(each).slice(0, 1000)),
  };
}

function timelineOf({ record, began }: Pick<Run, 'record' | 'began'>): string[] {
  const since = (time: string | null) => (time === null ? Number.POSITIVE_INFINITY : Date.parse(time) - began);
  const requests = record.requests.map((request) => ({ at: since(request.received_at), text: requestText(request) }));
  const deliveries = record.deliveries.map((delivery) => ({
    at: since(delivery.attempted_at),
    text: deliveryText(delivery),
  }));
  const all = [...requests, ...deliveries].sort((a, b) => a.at - b.at);
  const lines = all.filter(({ text }, at) => text !== all[at - 1]?.text).map(timelineLine);
  if (lines.length <= MAX_TIMELINE) return lines;
  const head = Math.floor(MAX_TIMELINE / 2);
  const left = `… ${lines.length - MAX_TIMELINE + 1} more …`;
  return [...lines.slice(0, head), left, ...lines.slice(1 - MAX_TIMELINE + head)];
}

function timelineLine({ at, text }: { at: number; text: string }): string {
  return Number.isFinite(at) ? `${Math.max(0, Math.round(at))} ms: ${text}` : text;
}

function requestText({ method, path, status, credits, cut, retry_count: retries }: RequestRow): string {
  const isCut = cut === true && status !== 0;
  const answer = status === 0 ? 'connection reset' : `${status}${isCut ? ', cut before its end' : ''}`;
  const more = [...(credits ? [countWithNoun(credits, 'credit')] : []), ...(retries ? [`retry ${retries}`] : [])];
  return [`${siteNameOfRequest({ method, path })} -> ${answer}`, ...more].join(', ');
}

function deliveryText({ type, fault, response_status: status, error }: RunRecord['deliveries'][number]): string {
  return `delivery ${type}${fault ? ` (${fault})` : ''} -> ${status ?? error ?? 'never sent'}`;
}
