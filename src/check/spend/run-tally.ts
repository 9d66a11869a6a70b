import type { Database } from '../../base/database/database.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { JournalFacts } from '../../engine/journal/request-schemas.ts';
import { recordedEventTypes, type SpendRow, sumSpend } from './run-report-store.ts';

/** What a request is answered that is for no operation. */
const UNROUTED: readonly unknown[] = ['not_found', 'method_not_allowed', 'forbidden_host', 'forbidden_origin'];

const GENERATION_END = /^(?:video|music)\.generation\.(succeeded|failed)$/;

interface Trouble {
  /** An answer that was an error, or none. */
  refuse(facts: JournalFacts): void;
  /** What a state has on record. */
  read(database: Database): void;
}

/**
 * Keeps count, next to an emulator, of what a whole run has spent and touched: over resets and restores, and whatever
 * becomes of the journal.
 */
export class RunTally {
  /** Of the service, whatever became of them; those that lack /v1 too. */
  requests = 0;
  /** Those of them whose path and method belong to an operation. */
  answered = 0;
  /** What the first of the others was answered. */
  unrouted: string | null = null;
  readonly operations = new Set<string>();
  readonly errorCodes = new Set<string>();
  readonly eventTypes = new Set<string>();
  readonly jobStates = new Set<string>();
  /** Hears what goes wrong, where that is to be told. */
  readonly #trouble: Trouble | undefined;
  /** What was spent in the states that went, less what was spent in each before it counted. */
  readonly #spent = new Map<string, SpendRow>();
  #database: Database | undefined;

  constructor(trouble?: Trouble) {
    this.#trouble = trouble;
  }

  /** Counts from now on. */
  attach({ database, journal }: { database: Database; journal: Journal }): void {
    this.#database = database;
    journal.observe((facts) => this.#see(facts));
    this.begin();
  }

  /** The state is another one: what was spent in it before does not count. */
  begin(): void {
    this.#count(-1);
  }

  /** The state is about to go: what was spent in it counts. */
  keep(): void {
    if (!this.#database) return;
    this.#count(1);
    for (const type of recordedEventTypes(this.#database)) this.#announce(type);
    this.#trouble?.read(this.#database);
  }

  /** What was spent so far, by account, operation and model. */
  spend(): SpendRow[] {
    this.keep();
    const spent = [...this.#spent.values()].filter(({ charges, refunds }) => charges + refunds > 0);
    this.begin();
    return spent;
  }

  /** A job's end that was announced has been shown, whether anybody polled it or not. */
  #announce(type: string): void {
    this.eventTypes.add(type);
    const [, end] = GENERATION_END.exec(type) ?? [];
    if (end) this.jobStates.add(end);
  }

  /** Adds what is in the state now, or takes it off. */
  #count(sign: 1 | -1): void {
    for (const row of this.#database ? sumSpend(this.#database) : []) {
      const key = `${row.accountId} ${row.operation} ${row.model ?? ''}`;
      const known = this.#spent.get(key);
      const sum = (name: 'charges' | 'refunds' | 'credits') => (known?.[name] ?? 0) + sign * row[name];
      this.#spent.set(key, { ...row, charges: sum('charges'), refunds: sum('refunds'), credits: sum('credits') });
    }
  }

  #see(facts: JournalFacts): void {
    const { operation, error, error_message: message = '', shown = [] } = facts;
    this.#trouble?.refuse(facts);
    this.requests += 1;
    if (operation !== null) this.operations.add(operation);
    // What is refused for its key or its fields was for an operation all the same.
    if (operation === null && UNROUTED.includes(error)) this.unrouted ??= message;
    else this.answered += 1;
    if (error !== undefined) this.errorCodes.add(error);
    for (const { status } of shown) this.jobStates.add(status);
  }
}
