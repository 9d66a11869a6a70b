import { type Clock, until } from '../clock/clock.ts';
import type { Transaction } from '../database/transaction.ts';
import { InjectedFault } from '../errors.ts';
import type { Directives } from '../faults/directives.ts';
import { type Entry, refund } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import type { Payer, Work } from './order.ts';

type Begun<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

export interface InstantParts {
  random: Random;
  clock: Clock;
}

/**
 * Work that is pure: charged, done and settled in one transaction.
 * A directive that makes it fail has the charge refunded there and then (502); one that makes it slow holds the answer
 * back, until the client hangs up.
 */
export function instantWork<Result>(
  { random, clock }: InstantParts,
  { directives, payer }: { directives: Directives; payer: Payer },
  work: (tx: Transaction, charged: Entry) => Result,
): Work<Begun<Result>, Result> {
  const { struck } = payer;
  const fail = directives.fail?.code ?? struck?.fail;
  const slowSeconds = directives.slowSeconds ?? struck?.slowSeconds ?? 0;
  return {
    begin(tx, charges) {
      const [charged] = charges;
      if (!charged) throw new Error('instant work has one charge');
      const readyAt = tx.now + slowSeconds * 1000;
      if (!fail) return { result: work(tx, charged), readyAt };
      refund(tx, random, charged);
      return { failure: failedAnswer(fail), readyAt };
    },
    finish(begun) {
      if (slowSeconds === 0) return outcome(begun);
      return until(clock, begun.readyAt, payer.gone).then(() => outcome(begun));
    },
  };
}

/** Work that is refused after it was charged: all is given back in the same transaction. */
export function refusedWork(random: Random, failure: Error): Work<Begun<never>, never> {
  return {
    begin(tx, charges) {
      for (const charged of charges) refund(tx, random, charged);
      return { failure, readyAt: tx.now };
    },
    finish: outcome,
  };
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
