import type { Connection } from './connection.ts';
import type { UnwrittenEntries } from './ledger-store.ts';
import type { SqlValue } from './reader.ts';
import type { NotAPromise, Transaction } from './transaction.ts';

export interface TransactionErrorHandlers {
  onFailure(error: unknown): void;
  onHookError(error: unknown): void;
}

interface Waiting {
  resolve(): void;
  reject(error: unknown): void;
}

/** A larger group needs fewer commits, but each client waits for the whole group. */
const MAX_MEMBERS = 64;

/**
 * One commit of SQLite for up to 64 transactions of a turn of the event loop.
 *
 * 1. `Database.transact` begins it with the first transaction of a turn, and commits it at the end of the turn, or once it
 *    is full.
 * 2. Each transaction ends before the next begins (`run`). Before its first statement it gets a savepoint, so that it can fail
 *    alone. A chat without a fault or a delay needs no statement: it only adds a ledger entry. Such entries are written
 *    together, before the next statement or before the commit.
 * 3. After the commit (`commit`), the hooks run, then the callers of `transact` continue. If the commit fails, all fail.
 *
 * Chats per second at 64 connections, relative to a stock Express server (`npm run bench -- chat`):
 *
 * - shared commit: 2.1
 * - a commit for each transaction: 0.8
 * - a shared commit that ends at once if no other request is in flight: 0.8
 *
 * `docs/project/benchmarks.md` has the current ratios of the shared commit, also on one connection.
 */
export class SharedCommit {
  readonly #connection: Connection;
  readonly #listeners: TransactionErrorHandlers;
  readonly #ledger: UnwrittenEntries;
  readonly #waiting: Waiting[] = [];
  readonly #hooks: (() => void)[] = [];
  #isOpen = true;
  #isAtWork = false;

  constructor(connection: Connection, ledger: UnwrittenEntries, listeners: TransactionErrorHandlers) {
    this.#connection = connection;
    this.#ledger = ledger;
    this.#listeners = listeners;
    connection.run('BEGIN IMMEDIATE');
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_MEMBERS;
  }

  run<T>(now: number, work: (tx: Transaction) => NotAPromise<T>): Promise<T> {
    if (this.#isAtWork) throw new Error('A transaction begins another one.');
    this.#isAtWork = true;
    const member = new Member(this.#connection, this.#ledger, now);
    try {
      const value = work(member) as T;
      for (const hook of member.keep()) this.#hooks.push(hook);
      return new Promise<T>((resolve, reject) => {
        this.#waiting.push({ resolve: () => resolve(value), reject });
      });
    } catch (error) {
      this.#listeners.onFailure(error);
      this.#undo(member, error);
      return Promise.reject(error);
    } finally {
      this.#isAtWork = false;
    }
  }

  commit(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      this.#ledger.write();
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#listeners.onFailure(error);
      this.#abandon(error);
      return;
    }
    for (const hook of this.#hooks) this.#runHook(hook);
    for (const { resolve } of this.#waiting) resolve();
  }

  /** If a hook fails, the callers succeed, because their changes are committed. */
  #runHook(hook: () => void): void {
    try {
      hook();
    } catch (error) {
      this.#listeners.onHookError(error);
    }
  }

  #undo(member: Member, error: unknown): void {
    try {
      member.undo();
    } catch {
      this.#abandon(error);
    }
  }

  #abandon(error: unknown): void {
    this.#isOpen = false;
    this.#connection.rollBack();
    this.#ledger.keepFirst(0);
    for (const { reject } of this.#waiting) reject(error);
  }
}

const NO_HOOKS: (() => void)[] = [];

class Member implements Transaction {
  readonly now: number;
  readonly #connection: Connection;
  readonly #ledger: UnwrittenEntries;
  readonly #earlierCount: number;
  /**
   * `none`: no statement has run, and the ledger entries of this transaction are in memory only. `beginning`: entries of
   * earlier transactions of the commit are being written, because they stay if this one fails. `begun`: they are
   * written, and all later statements can be undone.
   */
  #savepoint: 'none' | 'beginning' | 'begun' = 'none';
  #hooks = NO_HOOKS;
  #isOpen = true;

  constructor(connection: Connection, ledger: UnwrittenEntries, now: number) {
    this.#connection = connection;
    this.#ledger = ledger;
    this.#earlierCount = ledger.length;
    this.now = now;
  }

  get ledger(): UnwrittenEntries {
    this.#requireOpen();
    return this.#ledger;
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#prepared().get<Row>(sql, ...values);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#prepared().all<Row>(sql, ...values);
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.#prepared().run(sql, ...values);
  }

  insert(sql: string, ...values: SqlValue[]): number {
    return this.#prepared().insert(sql, ...values);
  }

  onCommit(hook: () => void): void {
    this.#requireOpen();
    if (this.#hooks === NO_HOOKS) this.#hooks = [hook];
    else this.#hooks.push(hook);
  }

  keep(): readonly (() => void)[] {
    this.#isOpen = false;
    if (this.#savepoint === 'begun') {
      this.#ledger.write();
      this.#connection.run('RELEASE member');
    }
    return this.#hooks;
  }

  /** Throws if the whole commit must be abandoned. */
  undo(): void {
    this.#isOpen = false;
    if (this.#savepoint === 'beginning') throw new Error('Entries of earlier transactions were only partly written.');
    // Once the savepoint has begun, all unwritten entries are of this transaction.
    this.#ledger.keepFirst(this.#savepoint === 'begun' ? 0 : this.#earlierCount);
    if (this.#savepoint === 'none') return;
    this.#connection.run('ROLLBACK TO member');
    this.#connection.run('RELEASE member');
  }

  #prepared(): Connection {
    this.#requireOpen();
    if (this.#savepoint !== 'begun') this.#beginSavepoint();
    this.#ledger.write();
    return this.#connection;
  }

  /** Entries of earlier transactions are written first, because they stay if this one fails. */
  #beginSavepoint(): void {
    this.#savepoint = 'beginning';
    this.#ledger.write(this.#earlierCount);
    this.#connection.run('SAVEPOINT member');
    this.#savepoint = 'begun';
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('This transaction has ended: its function has returned.');
  }
}
