import type { Connection } from './connection.ts';
import type { Immediate, SqlValue, StartWriteBatch, Transaction, WriteBatch, Writer } from './transaction.ts';

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
export class CommitGroup {
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

  /** For a statement: a savepoint is set before the first one, and the batches are written before each. */
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

/** All batches of one group. */
class WriteBatches {
  readonly #writer: Writer;
  readonly #started = new Map<StartWriteBatch<WriteBatch>, WriteBatch>();
  #isBroken = false;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  of<Rows extends WriteBatch>(begin: StartWriteBatch<Rows>): Rows {
    const started = this.#started.get(begin);
    if (started) return started as Rows;
    const rows = begin(this.#writer);
    this.#started.set(begin, rows);
    return rows;
  }

  /** The length of each batch; a batch that starts later has none. */
  mark(): number[] {
    const marks: number[] = [];
    for (const rows of this.#started.values()) marks.push(rows.length);
    return marks;
  }

  /** Rows of other transactions could not be written, or only some of them: the group cannot go on. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Writes the rows up to a mark. */
  writeTo(marks: readonly number[]): void {
    this.#isBroken = true;
    let at = 0;
    for (const rows of this.#started.values()) {
      const count = marks[at++] ?? 0;
      if (count > 0) rows.write(count);
    }
    this.#isBroken = false;
  }

  writeAll(): void {
    for (const rows of this.#started.values()) if (rows.length > 0) rows.write(rows.length);
  }

  cutTo(marks: readonly number[]): void {
    let at = 0;
    for (const rows of this.#started.values()) rows.cut(marks[at++] ?? 0);
  }
}
