import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { type Entry, refund } from '../ledger/ledger.ts';

type Unanswered = Pick<Entry, 'accountId' | 'n'>;

/**
 * Calls whose work is done but stored nowhere, and whose answer is delayed. If the process ends before the answer, the
 * next start refunds the call. A client that hangs up by itself stays charged.
 */
export class UnansweredCalls {
  readonly #database: Database;
  readonly #random: Random;
  #stopping = false;

  constructor(parts: { database: Database; random: Random }) {
    this.#database = parts.database;
    this.#random = parts.random;
  }

  /** Whether the emulator is stopping, so that it hangs up rather than the client. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  owe(tx: Transaction, { accountId, n }: Unanswered): void {
    tx.run('INSERT INTO unanswered (account_id, n) VALUES (?, ?)', accountId, n);
  }

  /** Waits, and then removes the note; also when the client hangs up first. */
  async whileWaiting(charge: Unanswered, waiting: Promise<void>, gone: AbortSignal): Promise<void> {
    try {
      await waiting;
    } catch (error) {
      if (gone.aborted && !this.#stopping) await this.#close(charge).catch(() => undefined);
      throw error;
    }
    await this.#close(charge);
  }

  async wake(): Promise<void> {
    this.#stopping = false;
    await this.#database.transactOrRetry((tx) => {
      const left = tx.all<Unanswered>('DELETE FROM unanswered RETURNING account_id AS accountId, n');
      for (const charge of left) refund(tx, this.#random, charge);
    });
  }

  /** From now on it is the emulator that hangs up. */
  warn(): void {
    this.#stopping = true;
  }

  #close({ accountId, n }: Unanswered): Promise<void> {
    return this.#database.transactOrRetry((tx) => {
      tx.run('DELETE FROM unanswered WHERE account_id = ? AND n = ?', accountId, n);
    });
  }
}
