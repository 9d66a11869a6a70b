import { waitUntil } from '../../base/clock/clock.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { type Entry, refund } from '../ledger/ledger.ts';
import { startRunStep } from '../orders/run-step-store.ts';
import {
  decideWork,
  type GenerationContext,
  type PaidResult,
  type Payer,
  type Purchase,
  paidResult,
  placeOrderWithWork,
  workFailedError,
} from './place-order.ts';

/** `readyAt` is the emulator's time in milliseconds. */
type TimedResult<Result> = { result: Result; readyAt: number } | { failure: Error; readyAt: number };

interface InstantPurchase<Result> extends Purchase {
  /** True if the result is stored, so that it is not lost with the response. */
  isKept?: boolean;
  textOf?(result: Result): string;
}

/**
 * Charges for the work and does it in one transaction, which also refunds failed work (502). A slow directive or the
 * latency profile delays the response, at most until the client disconnects. For a step of a flow run, the delay sets
 * `ready_at` instead.
 */
export async function chargeAndExecute<Result>(
  generation: GenerationContext,
  purchase: InstantPurchase<Result>,
  payer: Payer,
  work: (tx: Transaction, charged: Entry) => Result,
): Promise<PaidResult<Result>> {
  const { directives, isKept = false } = purchase;
  const { fail, slowSeconds = 0 } = decideWork({
    directives,
    faults: payer.faults,
    scripted: payer.scripted,
  });
  const isWaiting = slowSeconds > 0 && payer.kind === 'request';
  const isOwed = isWaiting && !fail && !isKept;
  const { order, done: instant } = await placeOrderWithWork(generation, purchase, payer, (tx, { charges }) => {
    const [charged] = charges as [Entry];
    const readyAt = tx.now + slowSeconds * 1000;
    const instant: TimedResult<Result> = fail
      ? { failure: workFailedError({ code: fail, asked: true }), readyAt }
      : { result: work(tx, charged), readyAt };
    if (fail) refund(tx, generation.random, charged);
    if (isOwed) generation.unanswered.owe(tx, charged);
    if (payer.kind === 'run') startRunStep(tx, payer, { outcome: outcomeOf(instant, purchase), readyAt });
    return instant;
  });
  if (isWaiting) {
    const waiting = waitUntil(generation.clock, instant.readyAt, payer.gone);
    await (isOwed ? generation.unanswered.whileWaiting(order.charges[0] as Entry, waiting, payer.gone) : waiting);
  }
  if ('failure' in instant) throw instant.failure;
  return paidResult(order, instant.result);
}

function outcomeOf<Result>(instant: TimedResult<Result>, { textOf = String }: InstantPurchase<Result>) {
  return 'failure' in instant ? { error: instant.failure.message } : { text: textOf(instant.result) };
}

export async function chargeRefundAndThrow(
  generation: GenerationContext,
  purchase: Purchase,
  payer: Payer,
  failure: Error,
): Promise<never> {
  await placeOrderWithWork(generation, { ...purchase, isRefunded: true }, payer, (tx, { charges }) => {
    for (const charged of charges) refund(tx, generation.random, charged);
    if (payer.kind === 'run') startRunStep(tx, payer, { outcome: { error: failure.message }, readyAt: tx.now });
  });
  throw failure;
}
