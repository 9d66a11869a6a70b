import { type Clock, until } from '../clock/clock.ts';
import type { Transaction } from '../database/transaction.ts';
import { InjectedFault } from '../errors.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import { type CrashPoint, type Die, failOf, unitOf } from '../faults/struck.ts';
import { type Entry, refund } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import type { Instant, Payer, Work } from './order.ts';
import type { UnansweredCalls } from './unanswered-calls.ts';

/** `owed`: the charge of a result that is kept nowhere, while its answer is held back. */
type Begun<Result> = Instant<Result> & { owed?: Entry };

export interface InstantParts {
  random: Random;
  clock: Clock;
  unanswered: UnansweredCalls;
  /** Ends the process at a crash point; undefined where none would start it again. */
  die: Die | undefined;
}

interface InstantCall {
  directives: Directives;
  payer: Payer;
  /** Its result is there whoever gets the answer. */
  keeps?: boolean;
}

/**
 * Work that is pure: charged, done and settled in one transaction.
 * A directive that makes it fail has the charge refunded there and then (502); one that makes it slow holds the answer
 * back, until the client hangs up.
 */
export function instantWork<Result>(
  parts: InstantParts,
  { directives, payer, keeps = false }: InstantCall,
  work: (tx: Transaction, charged: Entry) => Result,
): Work<Begun<Result>, Result> {
  const { struck, scripted } = payer;
  const fail = failureOf(directives) ?? failOf(struck) ?? scripted?.fail;
  const slowSeconds = directives.slowSeconds ?? struck?.slowSeconds ?? 0;
  const crash = parts.die && unitOf(struck).faults?.crash;
  // A run keeps what its step came to.
  const isKept = keeps || payer.onBegun !== undefined;
  const owes = !isKept && slowSeconds > 0;
  return {
    begin(tx, charges) {
      const [charged] = charges;
      if (!charged) throw new Error('instant work has one charge');
      if (struck) struck.begun = true;
      const readyAt = tx.now + slowSeconds * 1000;
      if (crash) dieAt(crash, tx, parts.die);
      if (fail) {
        refund(tx, parts.random, charged);
        return { failure: failedAnswer(fail), readyAt };
      }
      const result = work(tx, charged);
      if (!owes) return { result, readyAt };
      parts.unanswered.owe(tx, charged);
      return { result, readyAt, owed: charged };
    },
    instant: asBegun,
    finish(begun) {
      if (slowSeconds === 0) return outcome(begun);
      return held(parts, begun, payer).then(() => outcome(begun));
    },
  };
}

/**
 * Charge and work are one transaction, so who dies after either has paid nothing. After the settling all of it is
 * committed and stays charged, unless the answer was to be held back [I211].
 */
function dieAt(point: CrashPoint, tx: Transaction, die: Die | undefined): void {
  if (point === 'after_charge' || point === 'after_work') die?.();
  if (point === 'after_settle' && die) tx.onCommit(die);
}

function held({ clock, unanswered }: InstantParts, begun: Begun<unknown>, { gone }: Payer) {
  const waiting = until(clock, begun.readyAt, gone);
  return begun.owed ? unanswered.whileWaiting(begun.owed, waiting, gone) : waiting;
}

/** Work that is refused after it was charged: all is given back in the same transaction. */
export function refusedWork(random: Random, failure: Error): Work<Begun<never>, never> {
  return {
    begin(tx, charges) {
      for (const charged of charges) refund(tx, random, charged);
      return { failure, readyAt: tx.now };
    },
    instant: asBegun,
    finish: outcome,
  };
}

function asBegun<Result>(begun: Begun<Result>): Instant<Result> {
  return begun;
}

function outcome<Result>(begun: Begun<Result>): Result {
  if ('failure' in begun) throw begun.failure;
  return begun.result;
}

/** The 502 of a synchronous call whose work failed; it is refunded. */
export function failedAnswer(code: string, message?: string): InjectedFault {
  return new InjectedFault({
    status: 502,
    code,
    type: 'api_error',
    ...(message ? { message } : {}),
  });
}
