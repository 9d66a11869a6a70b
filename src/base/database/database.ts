import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import type { Clock } from '../clock/clock.ts';
import { isStorageFullError } from '../errors.ts';
import { Connection } from './connection.ts';
import { copyDatabase } from './copy-database.ts';
import { copyEmptyDatabase, createTables } from './database-file.ts';
import { UnwrittenEntries } from './ledger-store.ts';
import type { Reader, SqlValue } from './reader.ts';
import { SharedCommit, type TransactionErrorHandlers } from './shared-commit.ts';
import type { NotAPromise, Transaction } from './transaction.ts';

interface DatabaseOptions {
  file: string;
  durable: boolean;
  clock: Clock;
  /** Called with the error of a commit hook. By default the error is uncaught, because it is a bug. */
  onHookError?: (error: unknown) => void;
}

/** One connection writes, one reads committed state only. A reset or a restore replaces the file, not this object. */
export class Database implements Reader {
  readonly file: string;
  readonly #options: DatabaseOptions;
  readonly #listeners: TransactionErrorHandlers;
  #writer: Connection;
  #reader: Connection;
  #ledger: UnwrittenEntries | undefined;
  #commit: SharedCommit | undefined;
  #isDiskFull = false;

  /** Throws `storage_full` if the folder cannot be written. An existing file must be sound (`findDatabaseProblem`). */
  constructor(options: DatabaseOptions) {
    this.file = options.file;
    this.#options = options;
    this.#listeners = {
      onFailure: (error) => this.#noteFailure(error),
      onHookError: options.onHookError ?? throwUncaught,
    };
    [this.#writer, this.#reader] = this.#open();
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#reader.get<Row>(sql, ...values);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#reader.all<Row>(sql, ...values);
  }

  /**
   * Runs `work` immediately, in a commit shared with other transactions of this turn of the event loop. Rejects if `work`
   * throws or the commit fails.
   */
  transact<T>(work: (tx: Transaction) => NotAPromise<T>): Promise<T> {
    if (!this.#commit?.isOpen) {
      try {
        this.#ledger ??= new UnwrittenEntries(this.#writer);
        this.#commit = new SharedCommit(this.#writer, this.#ledger, this.#listeners);
      } catch (error) {
        this.#noteFailure(error);
        return Promise.reject(error);
      }
      setImmediate(() => this.flush());
    }
    const done = this.#commit.run(this.#options.clock.now(), work);
    if (this.#commit.isFull) this.flush();
    return done;
  }

  /**
   * As `transact`, for changes that must not be lost on a full disk, such as a refund. Tries once more, because a
   * checkpoint after the failure may have made room in the log.
   */
  async transactOrRetry<T>(work: (tx: Transaction) => NotAPromise<T>): Promise<T> {
    try {
      return await this.transact(work);
    } catch (error) {
      if (!isStorageFullError(error)) throw error;
      return this.transact(work);
    }
  }

  flush(): void {
    const commit = this.#commit;
    this.#commit = undefined;
    commit?.commit();
    if (this.#isDiskFull) this.#writeBack();
  }

  copyTo<T>(file: string, meanwhile: () => Promise<T>): Promise<T> {
    this.flush();
    return copyDatabase(this.file, file, meanwhile);
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
    this.#ledger = undefined;
    this.#reader.close();
    this.#writer.close();
  }

  #noteFailure(error: unknown): void {
    if (isStorageFullError(error)) this.#isDiskFull = true;
  }

  #writeBack(): void {
    this.#isDiskFull = false;
    try {
      this.#writer.get('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The full disk has no room for the checkpoint. Nothing is lost, because the log keeps all data.
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

/** On a full disk SQLite may close a database without a checkpoint, so its log must move with it. */
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
