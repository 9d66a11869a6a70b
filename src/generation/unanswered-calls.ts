import type { Database } from '../database/database.ts';
import type { Transaction } from '../database/transaction.ts';
import { refund } from '../ledger/ledger.ts';
import type { Random } from '../random.ts';
import { deleteUnanswered, insertUnanswered, takeUnanswered, type Unanswered } from './unanswered-store.ts';

/**
 * Calls whose work is done and kept nowhere, and whose answer is held back: one that does not survive the process is
 * refunded at the next start. A client that hangs up by itself stays charged.
 */
export class UnansweredCalls {
  readonly #database: Database;
  readonly #random: Random;
  #stopping = false;

  constructor(parts: { database: Database; random: Random }) {
    this.#database = parts.database;
    this.#random = parts.random;
  }

  /** Whether it is the emulator that hangs up. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** In the transaction of the charge: until it is answered, it is owed. */
  owe(tx: Transaction, charge: Unanswered): void {
    insertUnanswered(tx, charge);
  }

  /** Waits, and then owes nothing more; nor when the client is gone first. */
  async whileWaiting(charge: Unanswered, waiting: Promise<void>, gone: AbortSignal): Promise<void> {
    try {
      await waiting;
    } catch (error) {
      if (gone.aborted && !this.#stopping) await this.#close(charge).catch(() => undefined);
      throw error;
    }
    await this.#close(charge);
  }

  /** Refunds what the last run did not answer. */
  async wake(): Promise<void> {
    this.#stopping = false;
    await this.#database.insist((tx) => {
      for (const charge of takeUnanswered(tx)) refund(tx, this.#random, charge);
    });
  }

  /** From now on it is the emulator that hangs up. */
  warn(): void {
    this.#stopping = true;
  }

  #close(charge: Unanswered): Promise<void> {
    return this.#database.insist((tx) => deleteUnanswered(tx, charge));
  }
}
