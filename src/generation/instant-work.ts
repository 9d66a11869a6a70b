import { type Clock, until } from '../clock/clock.ts';
import type { Transaction } from '../database/transaction.ts';
import { InjectedFault } from '../errors.ts';
import { type CrashHook, type CrashPoint, failOf, takeFaultOf } from '../faults/applied-fault.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import { type Entry, refund } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import type { Instant, Payer, Work } from './order.ts';
import type { UnansweredCalls } from './unanswered-calls.ts';

/** `owed`: the charge of a result that is kept nowhere, while its answer is held back. */
type Started<Result> = Instant<Result> & { owed?: Entry };

export interface InstantParts {
  random: Random;
  clock: Clock;
  unanswered: UnansweredCalls;
  /** Ends the process at a crash point; undefined where none would start it again. */
  crashHook: CrashHook | undefined;
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
): Work<Started<Result>, Result> {
  const { appliedFault, scripted } = payer;
  const fail = failureOf(directives) ?? failOf(appliedFault) ?? scripted?.fail;
  const slowSeconds = directives.slowSeconds ?? appliedFault?.slowSeconds ?? 0;
  const crash = parts.crashHook && takeFaultOf(appliedFault).faults?.crash;
  // A run keeps what its step came to.
  const isKept = keeps || payer.onStarted !== undefined;
  const owes = !isKept && slowSeconds > 0;
  return {
    begin(tx, charges) {
      const [charged] = charges;
      if (!charged) throw new Error('instant work has one charge');
      if (appliedFault) appliedFault.started = true;
      const readyAt = tx.now + slowSeconds * 1000;
      if (crash) dieAt(crash, tx, parts.crashHook);
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
    finish(started) {
      if (slowSeconds === 0) return outcome(started);
      return held(parts, started, payer).then(() => outcome(started));
    },
  };
}

/**
 * Charge and work are one transaction, so who dies after either has paid nothing. After the settling all of it is
 * committed and stays charged, unless the answer was to be held back [I211].
 */
function dieAt(point: CrashPoint, tx: Transaction, crashHook: CrashHook | undefined): void {
  if (point === 'after_charge' || point === 'after_work') crashHook?.();
  if (point === 'after_settle' && crashHook) tx.onCommit(crashHook);
}

function held({ clock, unanswered }: InstantParts, started: Started<unknown>, { gone }: Payer) {
  const waiting = until(clock, started.readyAt, gone);
  return started.owed ? unanswered.whileWaiting(started.owed, waiting, gone) : waiting;
}

/** Work that is refused after it was charged: all is given back in the same transaction. */
export function refusedWork(random: Random, failure: Error): Work<Started<never>, never> {
  return {
    begin(tx, charges) {
      for (const charged of charges) refund(tx, random, charged);
      return { failure, readyAt: tx.now };
    },
    instant: asBegun,
    finish: outcome,
  };
}

function asBegun<Result>(started: Started<Result>): Instant<Result> {
  return started;
}

function outcome<Result>(started: Started<Result>): Result {
  if ('failure' in started) throw started.failure;
  return started.result;
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
