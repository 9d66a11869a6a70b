import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import type { Clock } from '../clock/clock.ts';
import { isStorageFull } from '../errors.ts';
import { Connection, OpenTransaction, UnwrittenRows } from './connection.ts';
import { copyEmptyDatabase, createTables } from './database-file.ts';
import type { Immediate, Reader, SqlValue, Transaction } from './transaction.ts';

interface DatabaseOptions {
  file: string;
  durable: boolean;
  clock: Clock;
  /** Called with the error of a commit hook. By default the error is uncaught, because it is a bug. */
  onHookError?: (error: unknown) => void;
}

/** One connection writes, another sees committed state only. A reset replaces the file, and this object stays valid. */
export class Database implements Reader {
  readonly file: string;
  readonly #options: DatabaseOptions;
  #writer: Connection;
  #reader: Connection;
  #group: CommitGroup | undefined;
  #isFull = false;

  /** Throws `storage_full` if the folder cannot be written. An existing file must be sound (`checkDatabase`). */
  constructor(options: DatabaseOptions) {
    this.file = options.file;
    this.#options = options;
    [this.#writer, this.#reader] = this.#open();
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#reader.get<Row>(sql, ...values);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#reader.all<Row>(sql, ...values);
  }

  /**
   * Runs `work` at once, in a commit shared with other transactions of this turn of the event loop. Rejects with the
   * error of `work` or of the commit.
   */
  transact<T>(work: (tx: Transaction) => Immediate<T>): Promise<T> {
    if (!this.#group?.isOpen) {
      try {
        this.#group = new CommitGroup(this.#writer, {
          onFailure: (error) => this.#noteFailure(error),
          onHookError: this.#options.onHookError ?? throwUncaught,
        });
      } catch (error) {
        this.#noteFailure(error);
        return Promise.reject(error);
      }
      setImmediate(() => this.flush());
    }
    const joined = this.#group.join(this.#options.clock.now(), work);
    if (this.#group.isFull) this.flush();
    return joined;
  }

  /**
   * For what is owed even on a full disk, such as a refund: a checkpoint after the failure may have made room in the
   * log.
   */
  async transactOrRetry<T>(work: (tx: Transaction) => Immediate<T>): Promise<T> {
    try {
      return await this.transact(work);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      return this.transact(work);
    }
  }

  flush(): void {
    const group = this.#group;
    this.#group = undefined;
    group?.commit();
    if (this.#isFull) this.#writeBack();
  }

  copyTo(file: string): void {
    this.flush();
    this.#writer.run('VACUUM INTO ?', file);
  }

  /**
   * Replaces this database by the closed file `next` and moves the old one to `kept`. If a step fails, the old file
   * stays.
   */
  replace(next: string, kept: string): void {
    this.close();
    let replaced = false;
    try {
      keep(this.file, kept);
      moveLog(this.file, kept);
      renameSync(next, this.file);
      replaced = true;
      moveLog(next, this.file);
      [this.#writer, this.#reader] = this.#open();
    } catch (error) {
      if (replaced) {
        for (const suffix of ['-wal', '-shm']) rmSync(this.file + suffix, { force: true });
        renameSync(kept, this.file);
      }
      moveLog(kept, this.file);
      [this.#writer, this.#reader] = this.#open();
      throw error;
    }
  }

  close(): void {
    this.flush();
    this.#reader.close();
    this.#writer.close();
  }

  #noteFailure(error: unknown): void {
    if (isStorageFull(error)) this.#isFull = true;
  }

  #writeBack(): void {
    this.#isFull = false;
    try {
      this.#writer.get('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // There is no room for the checkpoint either, and the log keeps all data.
    }
  }

  #open(): [Connection, Connection] {
    const { file, durable } = this.#options;
    copyEmptyDatabase(file, { durable });
    const writer = new Connection(file, { mode: durable ? 'durable' : 'quick' });
    try {
      createTables(writer);
      return [writer, new Connection(file, { mode: 'reading' })];
    } catch (error) {
      writer.close();
      throw error;
    }
  }
}

function throwUncaught(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

/** On a full disk SQLite closes a database without a checkpoint, so its log must move with it. */
function moveLog(from: string, to: string): void {
  rmSync(`${from}-shm`, { force: true });
  if (existsSync(`${from}-wal`)) renameSync(`${from}-wal`, `${to}-wal`);
}

function keep(file: string, kept: string): void {
  rmSync(kept, { force: true });
  try {
    linkSync(file, kept);
  } catch {
    copyFileSync(file, kept);
  }
}

interface GroupListeners {
  onFailure(error: unknown): void;
  onHookError(error: unknown): void;
}

interface Member {
  resolve(): void;
  reject(error: unknown): void;
}

/** A larger group saves commits, but all its clients wait for its end. */
const MAX = 64;

/**
 * The transactions of one turn of the event loop, committed once. Each may fail alone, because it has its own
 * savepoint.
 */
class CommitGroup {
  readonly #connection: Connection;
  readonly #rows: UnwrittenRows;
  readonly #listeners: GroupListeners;
  readonly #members: Member[] = [];
  readonly #hooks: (() => void)[] = [];
  #isOpen = true;
  #isAtWork = false;

  constructor(connection: Connection, listeners: GroupListeners) {
    this.#connection = connection;
    this.#rows = new UnwrittenRows(connection);
    this.#listeners = listeners;
    connection.run('BEGIN IMMEDIATE');
  }

  join<T>(now: number, work: (tx: Transaction) => Immediate<T>): Promise<T> {
    if (this.#isAtWork) throw new Error('A transaction begins another one.');
    const tx = new OpenTransaction(this.#connection, this.#rows, now);
    this.#isAtWork = true;
    try {
      const value = work(tx) as T;
      for (const hook of tx.close()) this.#hooks.push(hook);
      return new Promise<T>((resolve, reject) => {
        this.#members.push({ resolve: () => resolve(value), reject });
      });
    } catch (error) {
      this.#listeners.onFailure(error);
      this.#undo(tx, error);
      return Promise.reject(error);
    } finally {
      this.#isAtWork = false;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isFull(): boolean {
    return this.#members.length >= MAX;
  }

  commit(): void {
    if (!this.#isOpen) return;
    try {
      this.#rows.write();
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#listeners.onFailure(error);
      this.#abandon(error);
      return;
    }
    for (const hook of this.#hooks) this.#runHook(hook);
    for (const member of this.#members) member.resolve();
  }

  /** The members have their commit, whatever one hook does. */
  #runHook(hook: () => void): void {
    try {
      hook();
    } catch (error) {
      this.#listeners.onHookError(error);
    }
  }

  #undo(tx: OpenTransaction, error: unknown): void {
    try {
      tx.undo();
    } catch {
      this.#abandon(error);
    }
  }

  #abandon(error: unknown): void {
    this.#isOpen = false;
    this.#connection.rollBack();
    for (const member of this.#members) member.reject(error);
  }
}
