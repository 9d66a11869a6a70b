import { CHECKS, type Check, type CheckId, checkOf, isListedName } from '../checks.ts';
import type { FailedScenario } from './finding-book.ts';
import { isOutcome } from './scenario.ts';

const DOWNLOAD = /^GET \/cdn /;
/** The event of a job that fails without a fault. */
const FAILED_JOB = /^delivery \w+\.generation\.failed /;

/**
 * The check that fails under a fault. If there are several faults, the first in this list decides. Accepted forgeries and
 * ignored refusals need no other fault, so these checks come last.
 */
const BY_FAULT: readonly CheckId[] = [
  'survives-restart',
  'detects-cut-streams',
  'verifies-files',
  'handles-duplicates',
  'tolerates-changes',
  'survives-lost-messages',
  'honours-retry-after',
  'rejects-forged-events',
  'stops-without-credits',
  'refunds-failures',
];

/** The code of the verdict decides, then the fault. `--assert` judges the books, unless a job or a read of a file failed. */
export function failedCheck({ scenario, kind, code, codes = [] }: FailedScenario): CheckId {
  const all: readonly (Check & { id: CheckId })[] = CHECKS;
  const named = all.find((check) => code !== undefined && check.codes.includes(code));
  if (named) return named.id;
  if (codes.includes('paid_twice')) return 'pays-once';
  if (kind === 'check' && !scenario.some((each) => isOutcome(each) || DOWNLOAD.test(each.step)))
    return 'matches-ledger';
  const isOf = (id: CheckId) => scenario.some(({ fault }) => isListedName(fault, checkOf(id).faults));
  const hasPaid = kind === 'spend' || codes.some((each) => checkOf('pays-once').codes.includes(each));
  return hasPaid && isOf('pays-once') ? 'pays-once' : byFault({ scenario, kind }, isOf);
}

function byFault({ scenario, kind }: FailedScenario, isOf: (id: CheckId) => boolean): CheckId {
  const hasFailed = scenario.some((entry) => isOutcome(entry) || FAILED_JOB.test(entry.step));
  if (hasFailed && (isOf('handles-duplicates') || isOf('survives-lost-messages'))) return 'refunds-failures';
  // The receiver is wrong about the changed event, and therefore rejects genuine ones too.
  if (kind === 'receiver') {
    const changed = (['rejects-forged-events', 'handles-duplicates', 'tolerates-changes'] as const).find(isOf);
    return changed ?? (scenario.some(isOutcome) ? 'refunds-failures' : 'survives-lost-messages');
  }
  if (!isOf('survives-restart') && scenario.every(({ step }) => DOWNLOAD.test(step))) return 'verifies-files';
  return BY_FAULT.find(isOf) ?? 'survives-lost-messages';
}
