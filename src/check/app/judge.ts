import type { Difference } from '../../control/orders/report-file.ts';
import type { DeliveryRow, RunRecord } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import { expectsSuccess } from './expected-success.ts';
import { type Failure, isPaidAgain } from './finding-book.ts';
import { fitsPattern, type Schedule } from './schedule.ts';
import { ID, requestName, withoutNumber } from './step.ts';

/** What the undisturbed runs of one outcome came to. */
export interface Reference {
  spends: readonly number[];
  /** Masked states. */
  states: readonly string[];
  /** Names of what the verdict finds in a plain run already. */
  verdicts: readonly string[];
}

/** What every run of a search is held to. */
export interface Standards {
  /** Deviations under which the story may fail. */
  expected: readonly string[];
  /** Codes of the verdict that are no failure. */
  allowed: readonly string[];
  strictSpend: boolean;
  mask: readonly string[];
  /** A test that fails where the service refuses or fails shows nothing of the app: it may expect success. */
  sparesRefusals?: boolean;
}

interface Judgement extends Standards {
  /** Undefined in an undisturbed run: there is nothing to compare with. */
  reference: Reference | undefined;
  /** An app runs beside the story, so that somebody is always there to answer. */
  hasApp: boolean;
}

/** What is wrong with a run, the plainest first and `paid_again` last; empty where it passes. */
export function judge(run: Run, schedule: Schedule, judgement: Judgement): Failure[] {
  const { reference, expected, allowed } = judgement;
  const mayFail = schedule.some((entry) => expected.some((pattern) => fitsPattern(pattern, entry)));
  const isKilled = schedule.some(({ deviation }) => deviation.startsWith('kill:'));
  const isLost = isUnsavable(schedule, run.record);
  const isSpared = judgement.sparesRefusals === true && expectsSuccess(run, schedule, isLost);
  const spared = mayFail || (!judgement.strictSpend && isLost);
  const failures: Failure[] = [
    ...(run.failure && !mayFail && !(isKilled && run.failure.kind === 'exit') && !isSpared ? [run.failure] : []),
    ...verdictOf(run.record, { schedule, known: [...(reference?.verdicts ?? []), ...allowed], isKilled }),
    ...(spared || !reference ? [] : spendOf(run.record, reference.spends)),
    ...receiverOf(run, { isKilled, hasApp: judgement.hasApp }),
    ...(spared || !reference ? [] : stateOf(run, reference.states, judgement.mask)),
    ...(run.check === undefined ? [] : [{ kind: 'check' as const, message: run.check }]),
  ];
  return failures.toSorted((a, b) => Number(isPaidAgain(a)) - Number(isPaidAgain(b)));
}

/** What a run adds to its reference: an undisturbed run says what is right. */
export function referenceOf(runs: readonly Run[], plain: readonly Run[], mask: readonly string[]): Reference {
  return {
    spends: [...new Set(runs.map(({ record }) => netCredits(record)))],
    states: [...new Set(runs.map((run) => maskedState(run.probe, run, mask)))],
    verdicts: [...new Set(plain.flatMap(({ record }) => record.findings.map(({ finding }) => finding)))],
  };
}

/** Credits that were charged and not given back. */
function netCredits({ ledger }: RunRecord): number {
  const moved = ledger.filter(({ type }) => type === 'charge' || type === 'refund');
  return 0 - moved.reduce((sum, { amount }) => sum + amount, 0);
}

/** What the judgement of the receiver says in other words, and the probe of what became of it. */
const SAID_ELSEWHERE = 'lost_event';

/** What counts even where the app that would have known better is dead. */
const OF_THE_DEAD = ['paid_twice', 'accepted_forgery'];

function verdictOf(
  { findings }: RunRecord,
  { schedule, known, isKilled }: { schedule: Schedule; known: readonly string[]; isKilled: boolean },
): Failure[] {
  const expired = schedule.filter(({ deviation }) => deviation === 'expired').length;
  return findings
    .filter(
      ({ finding }) =>
        finding !== SAID_ELSEWHERE && !known.includes(finding) && (!isKilled || OF_THE_DEAD.includes(finding)),
    )
    .filter(({ finding, request_ids }, _, all) => {
      if (finding !== 'used_expired_url') return true;
      const uses = all.filter((each) => each.finding === finding).length;
      return Math.max(uses, request_ids.length) > expired;
    })
    .map(({ finding, message, remedy }) => ({
      kind: 'verdict',
      code: finding,
      message: `${finding}: ${message}`,
      remedy,
    }));
}

function spendOf(record: RunRecord, spends: readonly number[]): Failure[] {
  const spent = netCredits(record);
  if (spends.includes(spent)) return [];
  const usual = spends.toSorted((a, b) => a - b).join(' or ');
  return [{ kind: 'spend', message: `It cost ${spent} credits; a baseline run of the same outcome costs ${usual}.` }];
}

/** The faults of deliveries that a receiver must refuse. */
const REFUSABLE = ['forged', 'replayed', 'bad_signature', 'old_timestamp'];
const INBOX = '/_emulator/inbox/';

function receiverOf(run: Run, { isKilled, hasApp }: { isKilled: boolean; hasApp: boolean }): Failure[] {
  if (!run.rested) return [{ kind: 'receiver', message: 'The app was still busy long after the command.' }];
  return run.record.deliveries
    .filter(({ url }) => !url.includes(INBOX))
    .flatMap((delivery) => complaintOf(delivery, { mayBeAbsent: isKilled || !hasApp }))
    .map((message) => ({ kind: 'receiver', message }));
}

function complaintOf(
  { type, fault, response_status, error, attempted_at }: DeliveryRow,
  { mayBeAbsent }: { mayBeAbsent: boolean },
): string[] {
  if (attempted_at === null) return [];
  const isRefusable = fault !== null && REFUSABLE.includes(fault);
  if (response_status === null) {
    return mayBeAbsent || isRefusable
      ? []
      : [`A genuine delivery of ${type} was not answered: ${error ?? 'no answer'}.`];
  }
  if (response_status >= 500) return [`A ${fault ?? 'genuine'} delivery of ${type} was answered ${response_status}.`];
  const isTaken = response_status >= 200 && response_status < 300;
  if (isRefusable)
    return isTaken ? [`A ${fault} delivery of ${type} was answered ${response_status}, as if it were true.`] : [];
  return isTaken ? [] : [`A genuine delivery of ${type} was answered ${response_status} where 2xx was expected.`];
}

function stateOf(run: Run, states: readonly string[], mask: readonly string[]): Failure[] {
  if (run.probeFault !== undefined) return [{ kind: 'probe', message: run.probeFault }];
  if (run.probe === undefined) return [];
  const state = maskedState(run.probe, run, mask);
  if (states.includes(state)) return [];
  const differences = nearestDifferences(state, states);
  const [first] = differences;
  const difference = first ? `${first.path} is ${first.is} where it was ${first.was}` : 'it is another state';
  const more = differences.length > 1 ? `, and ${differences.length - 1} more` : '';
  return [{ kind: 'probe', message: `No baseline run ends in this state: ${difference}${more}.`, differences }];
}

/** Work without a job to look for: a client that loses the answer has lost what it paid, and cannot know whether it paid. */
const JOBLESS = /^POST \/v1\/(?:chat|audio|images|storage)\//;
const WITHHELD = ['lost_answer', 'lost_request', 'slow', 'kill:before', 'kill:during', 'kill:after'];
/** So many events of a type `GET /v1/webhooks/samples` shows. */
const SAMPLES = 3;

/** Whether no app could have saved what a schedule loses, so that it is not counted against the app. */
export function isUnsavable(schedule: Schedule, record: RunRecord): boolean {
  const isLost = schedule.some(({ step, deviation }) => {
    if (deviation === 'empty_balance' || deviation.startsWith('cut:')) return true;
    return JOBLESS.test(step) && WITHHELD.includes(deviation);
  });
  return isLost || hasGone(schedule, record);
}

/** An order whose answer and one of whose events are withheld is to be found among the samples, as long as that is there. */
function hasGone(schedule: Schedule, { requests, deliveries }: RunRecord): boolean {
  const withheld = schedule
    .filter(({ deviation }) => WITHHELD.includes(deviation))
    .map(({ step }) => withoutNumber(step));
  return requests
    .filter((request) => request.job_ids.length > 0 && withheld.includes(requestName(request)))
    .flatMap((request) => request.job_ids)
    .some((job) => isBeyondSamples(job, deliveries));
}

/** Whether the event of a job was not received, and so many of its type came after it that the samples no longer show it. */
function isBeyondSamples(job: string, deliveries: RunRecord['deliveries']): boolean {
  const own = deliveries.filter(({ subject }) => subject === job);
  const first = own[0];
  if (!first || own.some(({ response_status: status }) => status !== null && status < 300)) return false;
  const later = deliveries.slice(deliveries.indexOf(first)).filter(({ type }) => type === first.type);
  return new Set(later.map(({ event_id }) => event_id)).size > SAMPLES;
}

/** When what belongs to a run first stirred, and when it ended, in milliseconds of the machine's time. */
interface Span {
  made: number;
  ended: number;
}

const SECRET = /\b(?:svc_sk|whsec)_[A-Za-z0-9_]+/g;
const URL_OF_EMULATOR = /https?:\/\/[^\s"]*\/cdn\/[^\s"]*/g;
const ORIGIN = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?/g;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
/** What a clock may be off. */
const SLACK = 2000;

/** A state as it is compared: lists in any order, and all that differs from run to run by its nature masked. */
export function maskedState(state: unknown, span: Span, hidden: readonly string[]): string {
  return JSON.stringify(masked(state, span, new Set(hidden)));
}

function masked(value: unknown, span: Span, hidden: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return maskedText(value, span);
  if (typeof value === 'number') return isTime(value, span) ? '(time)' : value;
  if (Array.isArray(value)) {
    return value
      .map((each) => JSON.stringify(masked(each, span, hidden)))
      .sort()
      .map((text) => JSON.parse(text) as unknown);
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .map(([name, each]): [string, unknown] => [
      maskedText(name, span),
      hidden.has(name) ? '(masked)' : masked(each, span, hidden),
    ])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(numbered(fields));
}

/** Names that are ids would else cover one another. */
function numbered(fields: readonly [string, unknown][]): [string, unknown][] {
  const sorted = fields.toSorted(([a, x], [b, y]) => {
    const [one, other] = [`${a} ${JSON.stringify(x)}`, `${b} ${JSON.stringify(y)}`];
    return one < other ? -1 : 1;
  });
  const counts = new Map<string, number>();
  return sorted.map(([name, value]) => {
    const n = counts.get(name) ?? 0;
    counts.set(name, n + 1);
    return [n === 0 ? name : `${name} ${n}`, value];
  });
}

function maskedText(text: string, span: Span): string {
  if (ISO.test(text) && isTime(Date.parse(text), span)) return '(time)';
  return text
    .replace(URL_OF_EMULATOR, '(url)')
    .replace(ORIGIN, '(origin)')
    .replace(SECRET, '(secret)')
    .replace(ID, '(id)');
}

function isTime(value: number, { made, ended }: Span): boolean {
  const isWithin = (milliseconds: number) => milliseconds >= made - SLACK && milliseconds <= ended + SLACK;
  return isWithin(value) || isWithin(value * 1000);
}

const SHOWN = 60;

/** In what a state is not that of the nearest of others; all are masked states, as JSON. */
function nearestDifferences(state: string, others: readonly string[]): Difference[] {
  const is: unknown = JSON.parse(state);
  const all = others.map((other) => differencesOf('', JSON.parse(other), is));
  return all.sort((a, b) => a.length - b.length)[0] ?? [];
}

function differencesOf(path: string, was: unknown, is: unknown): Difference[] {
  if (!isNested(was) || !isNested(is)) {
    const [one, other] = [textOf(was), textOf(is)];
    return one === other ? [] : [{ path: path || 'the state', was: shown(one), is: shown(other) }];
  }
  const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return names.flatMap((name) =>
    differencesOf(path === '' ? name : `${path}.${name}`, Reflect.get(was, name), Reflect.get(is, name)),
  );
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function shown(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}
