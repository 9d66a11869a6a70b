import { until } from '../../base/clock/waits.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { InjectedFault } from '../../base/errors.ts';
import type { CrashHook, CrashPoint } from '../faults/applied-fault.ts';
import { type Directives, failureOf } from '../faults/directives.ts';
import type { Entry } from '../ledger/ledger.ts';
import type { Charges } from './charges.ts';
import type { Generation } from './generation.ts';
import type { Instant, PayingCall, Work } from './order.ts';

/** `owed`: the charge of a result that is stored nowhere, while its answer is delayed. */
type Started<Result> = Instant<Result> & { owed?: Entry };

interface InstantCall {
  directives: Directives;
  payer: PayingCall;
  /** Whether its result is stored, so that it exists without the answer. */
  keeps?: boolean;
}

/**
 * Pure work: charged, done and settled in one transaction.
 * A directive that makes it fail has the charge refunded in the same transaction (502). A directive that makes it slow
 * delays the answer, until the client hangs up.
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
  // A run stores the result of its step.
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
 * Charge and work are one transaction, so a crash after either leaves no charge. A crash after the settlement comes after
 * the commit: the charge stays, unless the answer was to be delayed [I211].
 */
function crashAt(point: CrashPoint, tx: Transaction, crashHook: CrashHook | undefined): void {
  if (point === 'after_charge' || point === 'after_work') crashHook?.();
  if (point === 'after_settle' && crashHook) tx.onCommit(crashHook);
}

function delayed({ clock, unanswered }: Generation, started: Started<unknown>, { gone }: PayingCall) {
  const waiting = until(clock, started.readyAt, gone);
  return started.owed ? unanswered.whileWaiting(started.owed, waiting, gone) : waiting;
}

/** Work that is refused after it was charged: the same transaction refunds all of it. */
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

/** The 502 of a synchronous call whose work failed and was refunded. */
export function failedAnswer({
  code,
  message,
  asked,
}: {
  code: string;
  message?: string;
  asked?: true;
}): InjectedFault {
  return new InjectedFault({
    status: 502,
    code,
    type: 'api_error',
    ...(message ? { message } : {}),
    ...(asked ? { asked } : {}),
  });
}
