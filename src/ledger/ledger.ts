import type { Transaction } from '../database/transaction.ts';
import { EmulatorError } from '../errors.ts';
import { makeId } from '../ids.ts';
import type { Random } from '../random.ts';
import {
  type Entry,
  type EntryType,
  findEntry,
  insertEntry,
  moveBalance,
  readBalance,
} from './ledger-store.ts';

export type { Entry } from './ledger-store.ts';

/** What a charge is for: `amount` is the positive price in credits. */
export interface Charge {
  accountId: string;
  amount: number;
  /** The paid operation, as in `chat.completion`. */
  operation: string;
  model: string | null;
  jobId?: string;
}

/**
 * Takes the price from the balance. Throws `insufficient_credits`, changing nothing, when the balance is short.
 * Balance is never negative and always equals the sum of the entries.
 */
export function charge(tx: Transaction, random: Random, order: Charge): Entry {
  const { accountId, amount, operation, model } = order;
  const jobId = order.jobId ?? null;
  return write(tx, random, {
    accountId,
    type: 'charge',
    amount: -amount,
    operation,
    model,
    jobId,
    refundOf: null,
  });
}

/** Gives back one charge, in full and at most once: a second call throws. */
export function refund(tx: Transaction, random: Random, chargeId: string): Entry {
  const paid = findEntry(tx, chargeId);
  if (!paid) throw new Error(`no charge ${chargeId} to refund`);
  const { accountId, operation, model, jobId } = paid;
  return write(tx, random, {
    accountId,
    type: 'refund',
    amount: -paid.amount,
    operation,
    model,
    jobId,
    refundOf: chargeId,
  });
}

/** What a new account is given. */
export function grant(
  tx: Transaction,
  random: Random,
  order: { accountId: string; amount: number },
): Entry {
  return write(tx, random, { ...order, ...UNPAID, type: 'grant' });
}

/** Credits that were bought. */
export function topUp(
  tx: Transaction,
  random: Random,
  order: { accountId: string; amount: number },
): Entry {
  return write(tx, random, { ...order, ...UNPAID, type: 'top_up' });
}

const UNPAID = { operation: null, model: null, jobId: null, refundOf: null };

type Movement = Omit<Entry, 'position' | 'id' | 'balance' | 'created'> & { type: EntryType };

function write(tx: Transaction, random: Random, movement: Movement): Entry {
  const moved = moveBalance(tx, movement.accountId, movement.amount);
  if (!moved) throw insufficient(-movement.amount, readBalance(tx, movement.accountId));
  const entry = {
    ...movement,
    id: makeId(random, 'entry', movement.accountId, moved.entries),
    balance: moved.balance,
    created: tx.now,
  };
  insertEntry(tx, entry);
  return { ...entry, position: 0 };
}

/** 402: names the price and the balance. */
export function insufficient(price: number, balance: number): EmulatorError {
  return new EmulatorError(
    'insufficient_credits',
    `This costs ${price} credits and the balance is ${balance}. Nothing was started; top up with POST /_emulator/accounts/{id}/credits or ask for less.`,
  );
}
