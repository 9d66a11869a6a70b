import { makeId } from '../../base/database/id-store.ts';
import { findEntry, type StoredEntry } from '../../base/database/ledger-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { InsufficientCreditsError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { countWithNoun } from '../../base/text.ts';
import type { PriceLine } from '../catalogue/catalogue.ts';

export interface Entry extends StoredEntry {
  id: string;
}

/** `amount` is the price in credits, a positive number. */
export interface NewCharge extends Pick<StoredEntry, 'accountId' | 'amount' | 'model' | 'jobId'> {
  operation: string;
  requestId?: string | null | undefined;
  lines?: readonly PriceLine[] | undefined;
}

export type ChargeKey = Pick<Entry, 'accountId' | 'n'>;

export type Deposit = Pick<Entry, 'accountId' | 'amount'>;

/**
 * Throws `insufficient_credits` and writes nothing if the balance is too low. The balance is never negative and equals
 * the sum of the entries.
 */
export function charge(tx: Transaction, random: Random, wanted: NewCharge): Entry {
  const { accountId, amount, operation, model, jobId, requestId = null, lines } = wanted;
  const priceLines = lines && JSON.stringify(lines);
  const of = { operation, model, jobId, refundOf: null, requestId, priceLines };
  return append(tx, random, { accountId, type: 'charge', amount: -amount, ...of });
}

/** Refunds the charge in full. A trigger of the database rejects a second refund when it is written. */
export function refund(tx: Transaction, random: Random, charged: ChargeKey): Entry {
  const paid = findEntry(tx, charged.accountId, charged.n);
  if (!paid) throw new Error(`no charge ${charged.n} of ${charged.accountId} to refund`);
  return append(tx, random, { ...paid, type: 'refund', amount: -paid.amount, refundOf: paid.n }, paid);
}

export function grant(tx: Transaction, random: Random, deposit: Deposit): Entry {
  return append(tx, random, { ...deposit, ...UNPAID, type: 'grant' });
}

export function topUp(tx: Transaction, random: Random, deposit: Deposit): Entry {
  return append(tx, random, { ...deposit, ...UNPAID, type: 'top_up' });
}

const UNPAID = { operation: null, model: null, jobId: null, refundOf: null, requestId: null };

type Movement = Omit<StoredEntry, 'n' | 'balance' | 'created'>;

/** Includes entries of the same commit that are not written yet. */
export function balanceOf(tx: Transaction, accountId: string): number {
  return tx.ledger.tail(accountId).balance;
}

function append(tx: Transaction, random: Random, movement: Movement, paid?: StoredEntry): Entry {
  const { accountId, type, amount, operation, model, jobId, refundOf, requestId, priceLines } = movement;
  const tail = tx.ledger.tail(accountId);
  const balance = tail.balance + amount;
  if (balance < 0) throw insufficientCreditsError(-amount, tail.balance);
  const n = tail.n + 1;
  const id = makeId(random, 'entry', accountId, n);
  const of = { operation, model, jobId, refundOf, requestId, priceLines };
  const entry: Entry = { id, accountId, n, type, amount, balance, ...of, created: tx.now };
  tx.ledger.add(entry, paid);
  return entry;
}

export function insufficientCreditsError(price: number, balance: number): InsufficientCreditsError {
  return new InsufficientCreditsError(
    balance,
    `This costs ${countWithNoun(price, 'credit')} and the balance is ${balance}. Nothing was started; top up with POST /_emulator/accounts/{id}/credits or ask for less.`,
  );
}
