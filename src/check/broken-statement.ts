import type { Failing } from './app/finding-book.ts';
import { isOutcome } from './app/schedule.ts';
import { isAmong, STATEMENTS, statementRow } from './statements.ts';

/** The step of a file that is read. */
const DOWNLOAD = /^GET \/cdn /;
/** The step of an event of a job that fails without being made to. */
const FAILED_JOB = /^delivery \w+\.generation\.failed /;

/**
 * Which statement a deviation breaks, where several are at work the first that one of them is of. What believes a forgery,
 * or does not stop at a refusal, needs nothing beside that: it comes after what is different there too.
 */
const BY_DEVIATION = [8, 10, 9, 6, 14, 7, 4, 5, 3, 2];

/**
 * The statement that a failing scenario breaks: by the code of the verdict, else by what was different. An order that is
 * lost and paid anew is of 1, and one that is not paid for of 7; what is paid twice is of 1 whatever was different.
 */
export function statementOf({ schedule, kind, code, codes = [] }: Failing): number {
  const named = STATEMENTS.find(({ codes }) => code !== undefined && codes.includes(code));
  if (named) return named.id;
  if (codes.includes('paid_twice')) return 1;
  if (kind === 'check') return 11;
  const isOf = (id: number) => schedule.some(({ deviation }) => isAmong(deviation, statementRow(id)?.deviations ?? []));
  const hasPaid = kind === 'spend' || codes.some((each) => statementRow(1)?.codes.includes(each));
  return hasPaid && isOf(1) ? 1 : byDeviation({ schedule, kind }, isOf);
}

function byDeviation({ schedule, kind }: Failing, isOf: (id: number) => boolean): number {
  // What comes twice, late or not at all of a job that failed.
  const hasFailed = schedule.some((entry) => isOutcome(entry) || FAILED_JOB.test(entry.step));
  if (hasFailed && (isOf(6) || isOf(7))) return 2;
  // A receiver is wrong about the event that was made so; of others it refuses what is true.
  if (kind === 'receiver') return [5, 6, 14].find(isOf) ?? (schedule.some(isOutcome) ? 2 : 7);
  // However a download fails: what is wrong after that is the file.
  if (!isOf(8) && schedule.every(({ step }) => DOWNLOAD.test(step))) return 9;
  return BY_DEVIATION.find(isOf) ?? 7;
}
