import { CHECKS, type CheckId, findCheckById, matchesFaultNameOrPrefix } from '../checks.ts';
import { type FaultAtSite, isJobOutcomeFault, type ScenarioFaults } from './fault-at.ts';

export type FailureKind = 'exit' | 'hang' | 'verdict' | 'spend' | 'receiver' | 'check';

export interface Failure {
  kind: FailureKind;
  message: string;
  /** The code of a finding of the verdict, or `PAID_MORE_CODE`. */
  code?: string;
  remedy?: string;
}

export const PAID_MORE_CODE = 'paid_more';

/**
 * True for `paid_again`, which a client can avoid only by not retrying. It is reported once for all runs, and only if
 * nothing else failed in the run.
 */
export function isPaidAgain({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'paid_again';
}

export interface FailedScenario {
  scenario: ScenarioFaults;
  kind: FailureKind;
  code?: string | undefined;
  codes?: readonly string[];
}

const DOWNLOAD = /^GET \/cdn /;
/** Faults that change no order and no charge (`late` only for deliveries). If `--assert` fails under one, the app itself counts wrongly. */
const CHANGING_NOTHING: readonly string[] = ['late', 'swapped', ...findCheckById('tolerates-changes').faults];

/**
 * If the faults belong to several checks, the first of them in this list fails. Forgeries and refusals do harm even
 * without another fault, so their checks come last.
 */
const BY_FAULT: readonly CheckId[] = [
  'survives-restart',
  'detects-cut-streams',
  'verifies-files',
  'collects-results',
  'handles-duplicates',
  'tolerates-changes',
  'survives-lost-messages',
  'refunds-failures',
  'honours-retry-after',
  'rejects-forged-events',
  'stops-without-credits',
];

/**
 * Returns the check that a failure counts for: `matches-ledger` if `--assert` fails under faults that change nothing, then
 * `pays-once` if the client paid too much under one of its faults, then a check with one of the faults and the code of the
 * failure. Otherwise the faults decide (`byFault`).
 */
export function checkIdOfFailedScenario({ scenario, kind, code, codes = [] }: FailedScenario): CheckId {
  if (kind === 'check' && scenario.every(changesNothing)) return 'matches-ledger';
  const isOf = (id: CheckId) => scenario.some(({ fault }) => matchesFaultNameOrPrefix(fault, findCheckById(id).faults));
  const isPaid = [code ?? '', ...codes].some((each) => PAID.includes(each));
  if (isPaid && isOf('pays-once')) return 'pays-once';
  const named = CHECKS.find(({ id, codes: own }) => isOf(id) && matchesFaultNameOrPrefix(code ?? '', own));
  return named?.id ?? byFault({ scenario, kind }, isOf);
}

const PAID: readonly string[] = [...findCheckById('pays-once').codes, PAID_MORE_CODE];

function changesNothing({ site, fault }: FaultAtSite): boolean {
  return CHANGING_NOTHING.includes(fault) && (fault !== 'late' || site.startsWith('delivery '));
}

const OF_RECEIVER: readonly CheckId[] = [
  'rejects-forged-events',
  'handles-duplicates',
  'tolerates-changes',
  'survives-restart',
];

function byFault({ scenario, kind }: FailedScenario, isOf: (id: CheckId) => boolean): CheckId {
  const hasFailed = scenario.some(isJobOutcomeFault);
  if (hasFailed && (isOf('handles-duplicates') || isOf('survives-lost-messages'))) return 'refunds-failures';
  if (kind === 'receiver') {
    const changed = OF_RECEIVER.find(isOf);
    return changed ?? (scenario.some(isJobOutcomeFault) ? 'refunds-failures' : 'survives-lost-messages');
  }
  if (!isOf('survives-restart') && scenario.every(({ site }) => DOWNLOAD.test(site))) return 'verifies-files';
  return BY_FAULT.find(isOf) ?? 'survives-lost-messages';
}
