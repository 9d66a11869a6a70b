import type { DeliveryRow, Run, RunRecord } from '../runs/run-record.ts';
import { fitsPattern, type Schedule } from './schedule.ts';
import { type Difference, maskedState, nearestDifferences } from './state-differences.ts';
import { isUnsavable } from './unsavable.ts';

export type FailureKind = 'exit' | 'hang' | 'verdict' | 'spend' | 'receiver' | 'probe' | 'check';

/** Why a run counts as failing. */
export interface Failure {
  kind: FailureKind;
  message: string;
  /** Of a verdict: what is to be done about it. */
  remedy?: string;
  /** Of a state: in what it is not that of the nearest undisturbed run. */
  differences?: readonly Difference[];
}

/** What the undisturbed runs of one outcome came to. */
export interface Reference {
  spends: readonly number[];
  /** Masked states. */
  states: readonly string[];
  /** Names of what the verdict finds in a plain run already. */
  verdicts: readonly string[];
}

/** The verdict's code, with which the message of such a failure begins; undefined for other kinds of failure. */
function codeOf({ kind, message }: Pick<Failure, 'kind' | 'message'>): string | undefined {
  return kind === 'verdict' ? message.split(':', 1)[0] : undefined;
}

/** Whether two fail in the same way: as one kind and, where that is the verdict, by one code. */
export function isSameWay(a: Pick<Failure, 'kind' | 'message'>, b: Pick<Failure, 'kind' | 'message'>): boolean {
  return a.kind === b.kind && codeOf(a) === codeOf(b);
}

/** No client can avoid it but by not asking again: reported after all else, once for all that was paid again. */
export function isPaidAgain(failure: Pick<Failure, 'kind' | 'message'>): boolean {
  return codeOf(failure) === 'paid_again';
}

/** Whether it is a failure of the state at the end of a run, which is compared with undisturbed runs. */
export function isOfEnd(kind: FailureKind): boolean {
  return kind === 'spend' || kind === 'probe';
}

export interface Judgement {
  /** Undefined in an undisturbed run: there is nothing to compare with. */
  reference: Reference | undefined;
  /** Deviations under which the story may fail. */
  expected: readonly string[];
  /** Codes of the verdict that are no failure. */
  allowed: readonly string[];
  strictSpend: boolean;
  mask: readonly string[];
  /** An app runs beside the story, so that somebody is always there to answer. */
  hasApp: boolean;
}

/** What is wrong with a run, the plainest first and `paid_again` last; empty where it passes. */
export function judge(run: Run, schedule: Schedule, judgement: Judgement): Failure[] {
  const { reference, expected, allowed } = judgement;
  const mayFail = schedule.some((entry) => expected.some((pattern) => fitsPattern(pattern, entry)));
  const isKilled = schedule.some(({ deviation }) => deviation.startsWith('kill:'));
  const spared = mayFail || (!judgement.strictSpend && isUnsavable(schedule, run.record));
  const failures: Failure[] = [
    ...(run.failure && !mayFail && !(isKilled && run.failure.kind === 'exit') ? [run.failure] : []),
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
export function netCredits({ ledger }: RunRecord): number {
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
    .map(({ finding, message, remedy }) => ({ kind: 'verdict', message: `${finding}: ${message}`, remedy }));
}

function spendOf(record: RunRecord, spends: readonly number[]): Failure[] {
  const spent = netCredits(record);
  if (spends.includes(spent)) return [];
  const usual = spends.toSorted((a, b) => a - b).join(' or ');
  return [
    { kind: 'spend', message: `It cost ${spent} credits; an undisturbed run of the same outcome costs ${usual}.` },
  ];
}

/** The faults of deliveries that a receiver must refuse. */
const REFUSABLE = ['forged', 'replayed', 'bad_signature', 'old_timestamp'];
const INBOX = '/_emulator/inbox/';

function receiverOf(run: Run, { isKilled, hasApp }: { isKilled: boolean; hasApp: boolean }): Failure[] {
  if (!run.rested) return [{ kind: 'receiver', message: 'The app never came to rest after the story.' }];
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
  return [{ kind: 'probe', message: `No undisturbed run ends so: ${difference}${more}.`, differences }];
}
