import { until } from '../../base/clock/clock.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { CrashHook, CrashPoint } from '../faults/applied-fault.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { Instant, PayingCall, Work } from './order.ts';
import type { Charges, Generation } from './pipeline.ts';
import { failedAnswer } from './work.ts';

/** `owed` is the charge of a result that is stored nowhere, while its response is delayed. */
type Started<Result> = Instant<Result> & { owed?: Entry };

interface InstantCall {
  directives: Directives;
  payer: PayingCall;
  /** True if the result is stored, and so does not depend on the response. */
  keeps?: boolean;
}

/**
 * Charge, work and settlement in one transaction. A failure is refunded in the same transaction (502). A slow directive
 * delays the response, until the client disconnects.
 */
export function instantWork<Result>(
  generation: Generation,
  { directives, payer, keeps = false }: InstantCall,
  work: (tx: Transaction, charged: Entry) => Result,
): Work<Started<Result>, Result> {
  const { appliedFault, scripted } = payer;
  const applied = appliedFault?.takes?.[0];
  const fail = failureOf(directives) ?? applied?.fail ?? appliedFault?.fail ?? scripted?.fail;
  const slowSeconds = directives.slowSeconds ?? appliedFault?.slowSeconds ?? 0;
  const crash = generation.crashHook && applied?.faults?.crash;
  const isKept = keeps || payer.onStarted !== undefined;
  const owes = !isKept && slowSeconds > 0;
  return {
    begin(tx, charges) {
      const [charged] = charges;
      if (!charged) throw new Error('instant work has one charge');
      appliedFault?.onStarted?.();
      const readyAt = tx.now + slowSeconds * 1000;
      if (crash) crashAt(crash, tx, generation.crashHook);
      if (fail) {
        generation.charges.refund(tx, charged);
        return { failure: failedAnswer({ code: fail, asked: true }), readyAt };
      }
      const result = work(tx, charged);
      generation.charges.keep(tx, charged);
      if (!owes) return { result, readyAt };
      generation.unanswered.owe(tx, charged);
      return { result, readyAt, owed: charged };
    },
    instant: asStarted,
    finish(started) {
      if (slowSeconds === 0) return outcome(started);
      return delayed(generation, started, payer).then(() => outcome(started));
    },
  };
}

/**
 * Charge and work are one transaction, so a crash leaves no charge. A crash after the settlement comes after the commit, so
 * the charge stays, unless the response was delayed [I211].
 */
function crashAt(point: CrashPoint, tx: Transaction, crashHook: CrashHook | undefined): void {
  if (point === 'after_charge' || point === 'after_work') crashHook?.();
  if (point === 'after_settle' && crashHook) tx.onCommit(crashHook);
}

function delayed({ clock, unanswered }: Generation, started: Started<unknown>, { gone }: PayingCall) {
  const waiting = until(clock, started.readyAt, gone);
  return started.owed ? unanswered.whileWaiting(started.owed, waiting, gone) : waiting;
}

/** Refunded in the same transaction. */
export function refusedWork(charges: Charges, failure: Error): Work<Started<never>, never> {
  return {
    begin(tx, charged) {
      charges.refundRefused(tx, charged);
      return { failure, readyAt: tx.now };
    },
    instant: asStarted,
    finish: outcome,
  };
}

function asStarted<Result>(started: Started<Result>): Instant<Result> {
  return started;
}

function outcome<Result>(started: Started<Result>): Result {
  if ('failure' in started) throw started.failure;
  return started.result;
}
