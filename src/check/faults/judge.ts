import { countWithNoun } from '../../base/text.ts';
import type { DeliveryRow, RequestRow, RunRecord, VerdictFinding } from '../runner/run-record.ts';
import type { Run } from '../runner/runner.ts';
import { failsOnlyByExpectingSuccess, hasUncaughtError } from './expected-success.ts';
import { type Failure, isPaidAgain, PAID_MORE_CODE } from './failed-check.ts';
import type { ScenarioFaults } from './fault-at.ts';
import { hasClientStoppedReadingJob, hasLateEndFault, UNCOLLECTED_JOB_CODE } from './late-end.ts';
import { cdnFileExtension, IMAGE_READ_SITE_NAME, removeSiteNumber, siteNameOfRequest } from './site.ts';

export interface ReferenceResults {
  spends: readonly number[];
  verdicts: readonly string[];
  records: readonly RunRecord[];
  /** The records of the baseline runs. `records` may be of runs in which jobs fail. */
  plain: readonly RunRecord[];
}

/** Identifies a finding in all runs by its code and the name of the account, because the id of the account changes. */
export function verdictFindingKey({ accounts = [] }: RunRecord, { finding, account_id: id }: VerdictFinding): string {
  return `${finding} ${accounts.find((account) => account.id === id)?.name ?? ''}`;
}

export function verdictFindingKeys(runs: readonly Run[]): string[] {
  return [...new Set(runs.flatMap(({ record }) => record.findings.map((each) => verdictFindingKey(record, each))))];
}

interface Judgement {
  reference: ReferenceResults | undefined;
  /** True if an app runs next to the command. Without one, a delivery may get no response. */
  hasApp: boolean;
}

/** The failures of the run, the clearest first and `paid_again` last. Empty if the run passes. */
export function findFailures(run: Run, scenario: ScenarioFaults, { reference, hasApp }: Judgement): Failure[] {
  const isKilled = scenario.some(({ fault }) => fault.startsWith('kill:'));
  const isLost = hasUnavoidableLoss(scenario, run.record);
  // Leaves out the failure of a test after a kill, or if the test fails only because it expects success. Such a failure
  // says nothing about the app.
  const isSpared = (isKilled && run.failure?.kind === 'exit') || failsOnlyByExpectingSuccess(run, scenario, isLost);
  // Under `late_end`, the failure of a test is left out unless the output shows an uncaught error, because a test may
  // be less patient than the client.
  const isLate = hasLateEndFault(scenario) && !hasUncaughtError(run.output);
  const failures: Failure[] = [
    ...(run.failure && !isSpared && !isLate ? [run.failure] : []),
    ...verdictOf(run, { scenario, reference, isKilled }),
    ...(isLost || !reference || (isLate && run.failure) ? [] : spendOf(run, reference.spends)),
    ...receiverOf(run, { isKilled, hasApp }),
    ...(run.check === undefined ? [] : [{ kind: 'check' as const, message: run.check }]),
  ];
  return failures.toSorted((a, b) => Number(isPaidAgain(a)) - Number(isPaidAgain(b)));
}

export function collectReferenceResults(
  runs: readonly Run[],
  baseline: { verdicts: readonly string[]; runs: readonly Run[] },
): ReferenceResults {
  return {
    spends: [...new Set(runs.map(({ record }) => netCreditsSpent(record)))],
    verdicts: baseline.verdicts,
    records: runs.map(({ record }) => record),
    plain: baseline.runs.map(({ record }) => record),
  };
}

/** Identifies a request in all runs by its content and the name of the account, because the id of the account changes. */
function requestKey({ accounts = [] }: RunRecord, { account_id: id, method, path, request }: RequestRow): string {
  return `${method} ${path} ${accounts.find((account) => account.id === id)?.name ?? ''} ${request}`;
}

export function netCreditsSpent({ ledger }: RunRecord): number {
  const moved = ledger.filter(({ type }) => type === 'charge' || type === 'refund');
  return 0 - moved.reduce((sum, { amount }) => sum + amount, 0);
}

/** The code of the verdict for an event that a receiver did not accept. `receiverOf` reports it in its own words. */
const REPORTED_BY_RECEIVER = 'lost_event';

const CODES_AFTER_KILL = ['paid_twice', 'accepted_forgery'];
const CODES_OF_RETRIES = ['retried_402', 'ignored_retry_after'];

/**
 * True if the reference runs have the finding too, or send its requests as often, so that none of them is a retry: a test
 * may place equal orders.
 */
function isKnown(each: VerdictFinding, record: RunRecord, { verdicts, records, plain }: ReferenceResults): boolean {
  if (verdicts.includes(verdictFindingKey(record, each))) return true;
  const isPaidTwice = each.finding === 'paid_twice';
  if (!isPaidTwice && !CODES_OF_RETRIES.includes(each.finding)) return false;
  const others = isPaidTwice ? plain : records;
  const countIn = (run: RunRecord, key: string) => run.requests.filter((one) => requestKey(run, one) === key).length;
  return record.requests
    .filter(({ id }) => each.request_ids.includes(id))
    .map((request) => requestKey(record, request))
    .every((key) => others.some((other) => countIn(record, key) <= countIn(other, key)));
}

function verdictOf(
  run: Run,
  { scenario, reference, isKilled }: { scenario: ScenarioFaults; isKilled: boolean } & Pick<Judgement, 'reference'>,
): Failure[] {
  const expired = scenario.filter(({ fault }) => fault === 'expired').length;
  return run.record.findings
    .filter(
      (each) =>
        each.finding !== UNCOLLECTED_JOB_CODE || (hasLateEndFault(scenario) && hasClientStoppedReadingJob(each, run)),
    )
    .filter(
      (each) =>
        each.finding !== REPORTED_BY_RECEIVER &&
        !(reference && isKnown(each, run.record, reference)) &&
        (!isKilled || CODES_AFTER_KILL.includes(each.finding)),
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

/** If the run failed, spending less is not a failure of its own: tests that fail end early. */
function spendOf({ record, failure }: Run, spends: readonly number[]): Failure[] {
  const spent = netCreditsSpent(record);
  if (spends.includes(spent) || (failure && spent < Math.min(...spends))) return [];
  const usual = spends.toSorted((a, b) => a - b).join(' or ');
  return [
    {
      kind: 'spend',
      ...(spent > Math.max(...spends) && { code: PAID_MORE_CODE }),
      message: `The tests cost ${countWithNoun(spent, 'credit')} with the fault, and ${usual} without it.`,
    },
  ];
}

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
      : [`A genuine delivery of ${type} got no response: ${error ?? 'unknown reason'}.`];
  }
  if (response_status >= 500) return [`A ${fault ?? 'genuine'} delivery of ${type} got ${response_status}.`];
  const isTaken = response_status >= 200 && response_status < 300;
  if (isRefusable)
    return isTaken ? [`A ${fault} delivery of ${type} got ${response_status}, as if it were genuine.`] : [];
  return isTaken ? [] : [`A genuine delivery of ${type} got ${response_status}; expected 2xx.`];
}

/** Faults that lose a request on its way to the service, so that nothing is done or charged. */
const UNDONE = ['lost_request', 'kill:before'];
/** Requests whose work an app cannot find again: those that return no job, and videos, whose events have no seed. */
const UNFINDABLE = /^POST \/v1\/(?:chat|audio|images|storage|videos)\//;
const WITHHELD = [...UNDONE, 'lost_response', 'slow', 'kill:during', 'kill:after'];
const SAMPLES = 3;

export function hasUnavoidableLoss(scenario: ScenarioFaults, record: RunRecord): boolean {
  const isLost = scenario.some(({ site, fault }) => {
    if (fault === 'empty_balance' || fault.startsWith('cut:')) return true;
    if (fault === 'expired') return removeSiteNumber(site) === IMAGE_READ_SITE_NAME || hasHitImage(record);
    if (UNDONE.includes(fault)) return site.startsWith('POST /v1/');
    return UNFINDABLE.test(site) && WITHHELD.includes(fault);
  });
  return isLost || hasGone(scenario, record);
}

const IMAGE_EXTENSIONS = ['.jpg', '.png', '.webp'];

/** True if a fault has hit the read of an image. If an app reads files in parallel, this may not be the planned read. */
function hasHitImage({ requests }: RunRecord): boolean {
  return requests.some(
    (request) => request.fault !== undefined && IMAGE_EXTENSIONS.includes(cdnFileExtension(request)),
  );
}

function hasGone(scenario: ScenarioFaults, { requests, deliveries, jobs }: RunRecord): boolean {
  const withheld = scenario.filter(({ fault }) => WITHHELD.includes(fault)).map(({ site }) => removeSiteNumber(site));
  return requests
    .filter((request) => request.job_ids.length > 0 && withheld.includes(siteNameOfRequest(request)))
    .flatMap((request) => request.job_ids)
    .some((job) => isBeyondSamples(job, deliveries) || isOpen(job, jobs));
}

/**
 * An open job has no event yet, so a client that lost its id cannot find it. A test may choose a progression under which
 * only polls end the job.
 */
function isOpen(job: string, jobs: RunRecord['jobs']): boolean {
  return jobs.some(({ id, status }) => id === job && (status === 'queued' || status === 'processing'));
}

function isBeyondSamples(job: string, deliveries: RunRecord['deliveries']): boolean {
  const own = deliveries.filter(({ subject }) => subject === job);
  const first = own[0];
  if (!first || own.some(({ response_status: status }) => status !== null && status < 300)) return false;
  const later = deliveries.slice(deliveries.indexOf(first)).filter(({ type }) => type === first.type);
  return new Set(later.map(({ event_id }) => event_id)).size > SAMPLES;
}
