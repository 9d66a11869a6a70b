import { CHECKS, type Check, type CheckId, checkOf, isAmong } from '../checks.ts';
import type { Failing } from './finding-book.ts';
import { isOutcome } from './scenario.ts';

const DOWNLOAD = /^GET \/cdn /;
/** The step of an event of a job that fails without being made to. */
const FAILED_JOB = /^delivery \w+\.generation\.failed /;

/**
 * Which check fails under a fault; if several are at work, the first in this list. An app that accepts a forgery, or does
 * not stop after a refusal, needs no other fault: these checks come after the others.
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

/**
 * The check that a failing scenario fails: by the code of the verdict, else by what was different. An order that is lost and
 * paid again fails `pays-once`, one that is lost `survives-lost-messages`; double payment is `pays-once` under any fault.
 */
export function failedCheck({ scenario, kind, code, codes = [] }: Failing): CheckId {
  const all: readonly (Check & { id: CheckId })[] = CHECKS;
  const named = all.find((check) => code !== undefined && check.codes.includes(code));
  if (named) return named.id;
  if (codes.includes('paid_twice')) return 'pays-once';
  if (kind === 'check') return 'matches-ledger';
  const isOf = (id: CheckId) => scenario.some(({ fault }) => isAmong(fault, checkOf(id).faults));
  const hasPaid = kind === 'spend' || codes.some((each) => checkOf('pays-once').codes.includes(each));
  return hasPaid && isOf('pays-once') ? 'pays-once' : byFault({ scenario, kind }, isOf);
}

function byFault({ scenario, kind }: Failing, isOf: (id: CheckId) => boolean): CheckId {
  const hasFailed = scenario.some((entry) => isOutcome(entry) || FAILED_JOB.test(entry.step));
  if (hasFailed && (isOf('handles-duplicates') || isOf('survives-lost-messages'))) return 'refunds-failures';
  // A receiver is wrong about the event that was changed; it rejects the others although they are genuine.
  if (kind === 'receiver') {
    const changed = (['rejects-forged-events', 'handles-duplicates', 'tolerates-changes'] as const).find(isOf);
    return changed ?? (scenario.some(isOutcome) ? 'refunds-failures' : 'survives-lost-messages');
  }
  // However a download fails, the file is wrong afterwards.
  if (!isOf('survives-restart') && scenario.every(({ step }) => DOWNLOAD.test(step))) return 'verifies-files';
  return BY_FAULT.find(isOf) ?? 'survives-lost-messages';
}
