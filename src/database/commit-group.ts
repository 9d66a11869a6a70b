import type { Connection } from './connection.ts';
import type { Immediate, SqlValue, StartWriteBatch, Transaction, WriteBatch } from './transaction.ts';
import { WriteBatches } from './write-batch.ts';

interface Member {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * A commit costs as much as one transaction in it, and whoever waits for it can ask for nothing meanwhile: of many who ask
 * at once some are answered, and read their answers, while the others are looked after.
 */
const MOST = 32;

/**
 * The transactions of one turn of the event loop, run one after another inside one `BEGIN IMMEDIATE … COMMIT`.
 * Each may fail alone: its statements stand in a savepoint of its own, made before the first of them; what it only
 * gathered is forgotten. All are answered after the one commit.
 */
export class CommitGroup {
  readonly #connection: Connection;
  readonly #writeBatches: WriteBatches;
  readonly #onFailure: (error: unknown) => void;
  readonly #members: Member[] = [];
  readonly #hooks: (() => void)[] = [];
  #isOpen = true;
  /** The function of a transaction runs. */
  #isAtWork = false;

  /** `onFailure` is told of what a member or the commit failed with, before they are. */
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

  /** False once SQLite has given the whole transaction up: then every member has been told. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Whether it is to be committed before its turn ends. */
  get isFull(): boolean {
    return this.#members.length >= MOST;
  }

  /** Writes what is held, commits, then runs the hooks, then answers; on failure every member is told. */
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

const NO_HOOKS: (() => void)[] = [];

class OpenTransaction implements Transaction {
  readonly now: number;
  readonly #connection: Connection;
  readonly #writeBatches: WriteBatches;
  /** What the members before it held when it began. */
  readonly #before: readonly number[];
  #hooks = NO_HOOKS;
  #hasSavepoint = false;
  #isOpen = true;

  constructor(connection: Connection, writeBatches: WriteBatches, now: number) {
    this.#connection = connection;
    this.#writeBatches = writeBatches;
    this.#before = writeBatches.mark();
    this.now = now;
  }

  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined {
    return this.#live().get<Row>(sql, ...values);
  }

  all<Row>(sql: string, ...values: SqlValue[]): Row[] {
    return this.#live().all<Row>(sql, ...values);
  }

  run(sql: string, ...values: SqlValue[]): number {
    return this.#live().run(sql, ...values);
  }

  insert(sql: string, ...values: SqlValue[]): number {
    return this.#live().insert(sql, ...values);
  }

  gathered<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows {
    this.#requireOpen();
    return this.#writeBatches.of(begin);
  }

  onCommit(hook: () => void): void {
    this.#requireOpen();
    if (this.#hooks === NO_HOOKS) this.#hooks = [hook];
    else this.#hooks.push(hook);
  }

  /** Answers what is to be done after the commit. */
  close(): readonly (() => void)[] {
    this.#isOpen = false;
    if (this.#hasSavepoint) {
      this.#writeBatches.writeAll();
      this.#connection.run('RELEASE member');
    }
    return this.#hooks;
  }

  /** Takes back all that it wrote and gathered. */
  undo(): void {
    this.#isOpen = false;
    this.#writeBatches.cutTo(this.#hasSavepoint ? [] : this.#before);
    if (!this.#hasSavepoint) return;
    this.#connection.run('ROLLBACK TO member');
    this.#connection.run('RELEASE member');
  }

  /** For a statement: before the first one stands a savepoint, and before each what is held is written. */
  #live(): Connection {
    this.#requireOpen();
    if (!this.#hasSavepoint) {
      this.#writeBatches.writeTo(this.#before);
      this.#connection.run('SAVEPOINT member');
      this.#hasSavepoint = true;
    }
    this.#writeBatches.writeAll();
    return this.#connection;
  }

  #requireOpen(): void {
    if (!this.#isOpen) throw new Error('This transaction has ended: its function has returned.');
  }
}
