import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { type ChargeKey, refund } from '../ledger/ledger.ts';

/**
 * Notes the charges of calls whose work is finished, whose response is delayed, and whose result is stored nowhere. If
 * the process ends before the response, the next start refunds these charges. If the client disconnects, the charge
 * stays.
 */
export class UnansweredCharges {
  readonly #database: Database;
  readonly #random: Random;
  #stopping = false;

  constructor(parts: { database: Database; random: Random }) {
    this.#database = parts.database;
    this.#random = parts.random;
  }

  /** True from `beforeStop` until `start`. In this time, the emulator itself closes connections. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  owe(tx: Transaction, { accountId, n }: ChargeKey): void {
    tx.run('INSERT INTO unanswered (account_id, n) VALUES (?, ?)', accountId, n);
  }

  /**
   * Waits, and then deletes the row of the charge, so that the next start does not refund it. Deletes the row after a
   * disconnect too, but not if a stop or a reset ends the wait.
   */
  async whileWaiting(charge: ChargeKey, waiting: Promise<void>, gone: AbortSignal): Promise<void> {
    try {
      await waiting;
    } catch (error) {
      if (gone.aborted && !this.#stopping) await this.#close(charge).catch(() => undefined);
      throw error;
    }
    await this.#close(charge);
  }

  async start(): Promise<void> {
    this.#stopping = false;
    await this.#database.transactOrRetry((tx) => {
      const left = tx.all<ChargeKey>('DELETE FROM unanswered RETURNING account_id AS accountId, n');
      for (const charge of left) refund(tx, this.#random, charge);
    });
  }

  beforeStop(): void {
    this.#stopping = true;
  }

  #close({ accountId, n }: ChargeKey): Promise<void> {
    return this.#database.transactOrRetry((tx) => {
      tx.run('DELETE FROM unanswered WHERE account_id = ? AND n = ?', accountId, n);
    });
  }
}
