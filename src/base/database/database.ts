import { copyFileSync, existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import type { Clock } from '../clock/clock.ts';
import { isStorageFull } from '../errors.ts';
import { Connection, OpenTransaction, WriteBatches } from './connection.ts';
import { layEmptyDatabase, migrate } from './migrate.ts';
import type { Immediate, Reader, SqlValue, Transaction } from './transaction.ts';

export interface DatabaseOptions {
  file: string;
  /** Whether a power cut must lose nothing; an ephemeral instance is not durable. */
  durable: boolean;
  clock: Clock;
}

/**
 * The database behind one handle: one connection writes, another sees committed state only.
 * A reset or a restore replaces the file under it; the handle stays.
 */
export class Database implements Reader {
  readonly file: string;
  readonly #options: DatabaseOptions;
  #writer: Connection;
  #reader: Connection;
  #group: CommitGroup | undefined;
  /** Something could not be written since the log was last written back. */
  #isFull = false;

  /** Throws `storage_full` when the folder cannot be written, `DatabaseTooNew` for a newer version's file. */
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
   * Runs `work` at once, in a transaction that it shares with others of this turn of the event loop.
   * Resolves after the commit; rejects with what `work` threw, or for everyone when the commit fails.
   */
  transact<T>(work: (tx: Transaction) => Immediate<T>): Promise<T> {
    if (!this.#group?.isOpen) {
      try {
        this.#group = new CommitGroup(this.#writer, (error) => this.#noteFailure(error));
      } catch (error) {
        this.#noteFailure(error);
        return Promise.reject(error);
      }
      setImmediate(() => this.flush());
    }
    const joined = this.#group.join(this.#options.clock.now(), work);
    if (this.#group.isFull) this.#commit();
    return joined;
  }

  /**
   * As `transact`, for what is owed although the disk is full, such as a refund: the log was written back meanwhile, which
   * may have made room in it, and `work` is run once more.
   */
  async transactOrRetry<T>(work: (tx: Transaction) => Immediate<T>): Promise<T> {
    try {
      return await this.transact(work);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
      return this.transact(work);
    }
  }

  /** Closes the group that is open, if any. */
  flush(): void {
    this.#commit();
  }

  /** Writes all that is committed now, without a log beside it, to a file that is not there yet. */
  copyTo(file: string): void {
    this.flush();
    this.#writer.run('VACUUM INTO ?', file);
  }

  /**
   * Puts a closed database file, `next`, in the place of this one in one step, and keeps what was there at `kept`, from
   * where the same call brings it back. Throws, with the old one open as before, when any of it fails.
   */
  replace(next: string, kept: string): void {
    this.flush();
    this.#shut();
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
    this.#shut();
  }

  #commit(): void {
    const group = this.#group;
    this.#group = undefined;
    group?.commit();
    if (this.#isFull) this.#writeBack();
  }

  #noteFailure(error: unknown): void {
    if (!isStorageFull(error)) return;
    this.#isFull = true;
  }

  /** A log that is written back is written over from its beginning: that takes no room on the disk. */
  #writeBack(): void {
    this.#isFull = false;
    try {
      this.#writer.get('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // There is no room for that either: the log stays as it is, and so does all that is in it.
    }
  }

  #shut(): void {
    this.#commit();
    this.#reader.close();
    this.#writer.close();
  }

  #open(): [Connection, Connection] {
    const { file, durable } = this.#options;
    layEmptyDatabase(file, { durable });
    const writer = new Connection(file, { mode: durable ? 'durable' : 'quick' });
    try {
      migrate(writer);
      return [writer, new Connection(file, { mode: 'reading' })];
    } catch (error) {
      writer.close();
      throw error;
    }
  }
}

/** On a full disk a log is not written back when its database is closed: then it goes with it. */
function moveLog(from: string, to: string): void {
  rmSync(`${from}-shm`, { force: true });
  if (existsSync(`${from}-wal`)) renameSync(`${from}-wal`, `${to}-wal`);
}

/** A second name for the same file, or a copy where the disk knows no links. */
function keep(file: string, kept: string): void {
  rmSync(kept, { force: true });
  try {
    linkSync(file, kept);
  } catch {
    copyFileSync(file, kept);
  }
}

interface Member {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * How many transactions share a commit. A commit costs as much as one of them, but all of its clients wait for it: with
 * smaller groups some read their answers while the others are served.
 */
const MOST = 32;

/**
 * The transactions of one turn of the event loop, run one after another inside one `BEGIN IMMEDIATE … COMMIT`.
 * Each may fail alone: its statements are in a savepoint of its own, made before the first of them, and its rows in a
 * write batch are removed. All are answered after the one commit.
 */
class CommitGroup {
  readonly #connection: Connection;
  readonly #writeBatches: WriteBatches;
  readonly #onFailure: (error: unknown) => void;
  readonly #members: Member[] = [];
  readonly #hooks: (() => void)[] = [];
  #isOpen = true;
  /** The function of a transaction runs. */
  #isAtWork = false;

  /** `onFailure` is called with the error of a member or of the commit, before the members are. */
  constructor(connection: Connection, onFailure: (error: unknown) => void) {
    this.#connection = connection;
    this.#writeBatches = new WriteBatches(connection);
    this.#onFailure = onFailure;
    connection.run('BEGIN IMMEDIATE');
  }

  /** Runs `work` at once; the promise resolves with its value after the commit of the group. */
  join<T>(now: number, work: (tx: Transaction) => Immediate<T>): Promise<T> {
    if (this.#isAtWork) throw new Error('A transaction begins another one.');
    const tx = new OpenTransaction(this.#connection, this.#writeBatches, now);
    this.#isAtWork = true;
    try {
      const value = work(tx) as T;
      for (const hook of tx.close()) this.#hooks.push(hook);
      return new Promise<T>((resolve, reject) => {
        this.#members.push({ resolve: () => resolve(value), reject });
      });
    } catch (error) {
      this.#onFailure(error);
      this.#undo(tx, error);
      return Promise.reject(error);
    } finally {
      this.#isAtWork = false;
    }
  }

  /** False once SQLite has rolled back the whole transaction: then every member was rejected. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether it is to be committed before its turn ends. */
  get isFull(): boolean {
    return this.#members.length >= MOST;
  }

  /** Writes the batches, commits, runs the hooks, then resolves the members; on failure every member is rejected. */
  commit(): void {
    if (!this.#isOpen) return;
    try {
      this.#writeBatches.writeAll();
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#onFailure(error);
      this.#abandon(error);
      return;
    }
    for (const hook of this.#hooks) hook();
    for (const member of this.#members) member.resolve();
  }

  /** Takes back what one member wrote. On a full disk SQLite may have taken back what all of them did. */
  #undo(tx: OpenTransaction, error: unknown): void {
    try {
      tx.undo();
      if (this.#writeBatches.isBroken) this.#abandon(error);
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
