import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../clock/clock.ts';
import { Semaphore } from '../clock/semaphore.ts';
import { invalid } from '../errors.ts';
import { READY, type SqlOrder, type SqlQuestion, type SqlReport, type SqlRows } from './sql-answer.ts';

/** Always the built file: it is run by a Node of its own. */
const ENTRY = createRequire(import.meta.url).resolve('#sql-reader');

/** What a statement may take, and what its process may take to begin: milliseconds of real time. */
const TIME_LIMIT = 2000;
const START_LIMIT = 15_000;
/** What is answered at most. */
const MOST_ROWS = 1000;
const MOST_BYTES = 4 * 1_048_576;
/** How many are read at a time; the others wait. */
const MOST_READERS = 2;

/** Answers statements that only read, each in a process of its own: none can hold the service up. */
export class SqlRunner {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #file: string;
  readonly #readers = new Semaphore(MOST_READERS);

  constructor(parts: { clock: Pick<Clock, 'after'>; file: string }) {
    this.#clock = parts.clock;
    this.#file = parts.file;
  }

  /** Throws `invalid_request` for what is no such statement, takes too long or fails, and the reason when `gone` ends. */
  read(question: SqlQuestion, gone: AbortSignal): Promise<SqlRows> {
    return this.#readers.run(() => this.#run(question, gone));
  }

  async #run(question: SqlQuestion, gone: AbortSignal): Promise<SqlRows> {
    gone.throwIfAborted();
    const reader = new Reader();
    const end = () => reader.kill();
    gone.addEventListener('abort', end);
    const starting = this.#clock.after(START_LIMIT, end, end);
    try {
      await reader.ready();
      starting();
      const limit = this.#clock.after(TIME_LIMIT, end, end);
      const bounds = { mostRows: MOST_ROWS, mostBytes: MOST_BYTES };
      const report = await reader.ask({ ...question, ...bounds, file: this.#file });
      limit();
      gone.throwIfAborted();
      if (!report) throw tooLong();
      if ('error' in report) throw refused(report.error);
      return report;
    } finally {
      starting();
      gone.removeEventListener('abort', end);
      await reader.ended();
    }
  }
}

/** One process that reads. */
class Reader {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #closed: Promise<unknown>;
  #said = '';

  constructor() {
    this.#child = spawn(process.execPath, [ENTRY], { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#closed = once(this.#child, 'close').catch(() => undefined);
    this.#child.stdin.on('error', () => undefined);
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
  }

  /** Resolves when it runs, or has ended before. */
  async ready(): Promise<void> {
    await Promise.race([once(this.#child.stdout, 'data'), this.#closed]);
  }

  /** Undefined when it was ended before it had answered. */
  async ask(order: SqlOrder): Promise<SqlReport | undefined> {
    this.#child.stdin.end(JSON.stringify(order));
    await this.#closed;
    try {
      return JSON.parse(this.#said.slice(READY.length));
    } catch {
      return undefined;
    }
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Nothing of it is left behind. */
  async ended(): Promise<void> {
    this.kill();
    await this.#closed;
  }
}

function refused(reason: string): Error {
  return invalid(
    'sql',
    `sql was not answered: ${reason.slice(0, 300)} It takes one statement that reads; the table sqlite_schema lists those there are.`,
  );
}

function tooLong(): Error {
  return invalid(
    'sql',
    `sql was ended: it did not answer within ${TIME_LIMIT / 1000} s. Narrow it with WHERE or LIMIT.`,
  );
}
