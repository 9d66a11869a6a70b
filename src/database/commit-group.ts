import type { Connection } from './connection.ts';
import type { Immediate, SqlValue, Transaction } from './transaction.ts';

interface Member {
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The transactions of one turn of the event loop, run one after another inside one `BEGIN IMMEDIATE … COMMIT`.
 * Each stands in a savepoint of its own and may fail alone; all are answered after the one commit.
 */
export class CommitGroup {
  readonly #connection: Connection;
  readonly #members: Member[] = [];
  readonly #hooks: (() => void)[] = [];
  #isOpen = true;

  constructor(connection: Connection) {
    this.#connection = connection;
    connection.run('BEGIN IMMEDIATE');
  }

  /** Runs `work` at once; the promise resolves with its value after the commit of the group. */
  join<T>(now: number, work: (tx: Transaction) => Immediate<T>): Promise<T> {
    const connection = this.#connection;
    const tx = new OpenTransaction(connection, now);
    connection.run('SAVEPOINT member');
    try {
      const value = work(tx) as T;
      connection.run('RELEASE member');
      this.#hooks.push(...tx.close());
      return new Promise<T>((resolve, reject) => {
        this.#members.push({ resolve: () => resolve(value), reject });
      });
    } catch (error) {
      tx.close();
      this.#undo(error);
      return Promise.reject(error);
    }
  }

  /** False once SQLite has given the whole transaction up: then every member has been told. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Commits, then runs the hooks, then answers; on failure every member is told. */
  commit(): void {
    if (!this.#isOpen) return;
    try {
      this.#connection.run('COMMIT');
    } catch (error) {
      this.#abandon(error);
      return;
    }
    for (const hook of this.#hooks) hook();
    for (const member of this.#members) member.resolve();
  }

  /** Takes back what one member wrote. On a full disk SQLite may have taken back what all of them did. */
  #undo(error: unknown): void {
    try {
      this.#connection.run('ROLLBACK TO member');
      this.#connection.run('RELEASE member');
    } catch {
      this.#abandon(error);
    }
  }

  #abandon(error: unknown): void {
    this.#isOpen = false;
    try {
      this.#connection.run('ROLLBACK');
    } catch {
      // SQLite has rolled back by itself; the members learn of the first error.
    }
    for (const member of this.#members) member.reject(error);
  }
}

class OpenTransaction implements Transaction {
  readonly now: number;
  readonly #connection: Connection;
  readonly #hooks: (() => void)[] = [];
  #open = true;

  constructor(connection: Connection, now: number) {
    this.#connection = connection;
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

  onCommit(hook: () => void): void {
    this.#live();
    this.#hooks.push(hook);
  }

  close(): (() => void)[] {
    this.#open = false;
    return this.#hooks;
  }

  #live(): Connection {
    if (!this.#open) throw new Error('This transaction has ended: its function has returned.');
    return this.#connection;
  }
}
