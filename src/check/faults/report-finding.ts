import { stripVTControlCharacters } from 'node:util';
import { errorLines } from '../../base/output/output-line.ts';
import { failedTestsIn } from '../../client/runners/junit.ts';
import { testKey } from '../../engine/accounts/tests.ts';
import type { BaselineRuns } from '../baseline-runs.ts';
import { placeOf } from '../report.ts';
import { type RequestRow, type RunRecord, reportedFailures, testOf } from '../runner/run-record.ts';
import type { Run, TraceHeading } from '../runner/runner.ts';
import { partOf } from '../runner/test-watch.ts';
import { writeToken } from '../token.ts';
import type { FailedRun, FaultFinding } from './finding-book.ts';
import { readSteps } from './read-steps.ts';
import { type Scenario, titleOf, wordsOf } from './scenario.ts';
import { commandMark, requestName, type Step } from './step.ts';

export interface FaultFindingParts {
  version: string;
  seed: number;
  plain: BaselineRuns;
  mask(text: string): string;
}

const [MAX_ERROR, MAX_OUTPUT] = [300, 2000];
const MAX_TIMELINE = 12;

export function reportFinding(scenario: Scenario, { run, failure }: FailedRun, parts: FaultFindingParts): FaultFinding {
  const { version, seed, plain, mask } = parts;
  const check = plain.checkOf(scenario, { run, failure });
  const scene = { kind: 'fault', command: commandMark(plain.registry.plain), faults: scenario } as const;
  const { steps } = readSteps(run.record, plain.numbering);
  const tests = testsOf(run, scenario, steps);
  const own = ofTests(run, tests);
  const row = tests.size === 0 ? undefined : own.record.tests?.find((each) => tests.has(testKey(each)));
  const output = mask(stripVTControlCharacters(run.output)).slice(-MAX_OUTPUT);
  const failed = failedTest(run, mask);
  const test = failed ?? (row && placeOf(testOf(row)));
  const error = failure.kind === 'check' ? undefined : errorOf(run, mask);
  return {
    token: writeToken({ version, seed, check, scene }),
    also: [],
    scenario,
    check,
    ...{ kind: failure.kind, code: failure.code, remedy: failure.remedy, message: mask(failure.message) },
    seen: 1,
    output,
    ...(test && { test: { ...test, failed: failed !== undefined } }),
    ...(error && { error }),
    timeline: timelineOf(own),
  };
}

function failedTest({ record, output, failure }: Run, mask: (text: string) => string) {
  if (!failure) return undefined;
  const [reported] = reportedFailures(record, output);
  if (reported) return placeOf({ ...reported, name: mask(reported.name) });
  const [name] = failedTestsIn(mask(stripVTControlCharacters(output)).split('\n'));
  return name === undefined ? undefined : { name };
}

function errorOf({ record, output, failure }: Run, mask: (text: string) => string): string | undefined {
  const [reported] = reportedFailures(record, output);
  const text = reported ? (reported.error ?? '') : failure ? errorLines(output, 1) : '';
  const [first = ''] = mask(stripVTControlCharacters(text)).trim().split('\n');
  return first.replace(/\s+/g, ' ').slice(0, MAX_ERROR) || undefined;
}

function testsOf({ record }: Run, scenario: Scenario, steps: readonly Step[]): ReadonlySet<string> {
  if (!steps.some(({ test }) => test !== undefined)) return new Set();
  const failed = (record.tests ?? []).filter(({ outcome }) => outcome === 'failed').map(testKey);
  const sites = scenario.map(({ step }) => steps.find(({ name }) => name === step)?.test ?? []);
  return new Set([...failed, ...sites.flat()]);
}

function ofTests(run: Run, tests: ReadonlySet<string>): Run {
  const rows = tests.size === 0 ? [] : (run.record.tests ?? []).filter((row) => tests.has(testKey(row)));
  if (rows.length === 0) return run;
  return { ...run, record: { ...run.record, ...partOf(run.record, rows, true) } };
}

export function traceHeading({ scenario, kind, message }: FaultFinding): TraceHeading {
  return {
    title: titleOf(scenario).slice(0, 500),
    failure: `${kind}: ${message}`.slice(0, 10_000),
    schedule: scenario.map((entry) => wordsOf(entry).slice(0, 1000)),
  };
}

export function timelineOf({ record, began }: Pick<Run, 'record' | 'began'>): string[] {
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
  const more = [...(credits ? [`${credits} credits`] : []), ...(retries ? [`retry ${retries}`] : [])];
  return [`${requestName({ method, path })} -> ${answer}`, ...more].join(', ');
}

function deliveryText({ type, fault, response_status: status, error }: RunRecord['deliveries'][number]): string {
  return `delivery ${type}${fault ? ` (${fault})` : ''} -> ${status ?? error ?? 'never sent'}`;
}
