import type { Database } from '../../base/database/database.ts';
import type { SpendRow } from '../../check/spend/spend-store.ts';
import { SpendTally } from '../../check/spend/spend-tally.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { JournalRecord } from '../../engine/journal/request-schemas.ts';
import type { FailureSummary } from './failure-summary.ts';
import { recordedEventTypes } from './run-report-store.ts';

const UNROUTED: readonly unknown[] = ['not_found', 'method_not_allowed', 'forbidden_host', 'forbidden_origin'];

const GENERATION_END = /^(?:video|music)\.generation\.(succeeded|failed)$/;

/**
 * Counts the spending and the used operations of a whole run, across resets and restores and whatever the journal
 * removes.
 */
export class RunTally {
  requests = 0;
  answered = 0;
  unrouted: string | null = null;
  readonly operations = new Set<string>();
  readonly errorCodes = new Set<string>();
  readonly eventTypes = new Set<string>();
  readonly jobStates = new Set<string>();
  readonly #trouble: FailureSummary;
  readonly #spend = new SpendTally();
  #database: Database | undefined;

  constructor(trouble: FailureSummary) {
    this.#trouble = trouble;
  }

  attach({ database, records: { journal } }: { database: Database; records: { journal: Journal } }): void {
    this.#database = database;
    journal.writer.observe((record) => this.#see(record));
    this.#spend.attach({ database });
  }

  /** Spending before this moment does not count. */
  begin(): void {
    this.#spend.begin();
  }

  /** Call this before the state is replaced. */
  keep(): void {
    this.#spend.keep();
    this.#read();
  }

  #read(): void {
    if (!this.#database) return;
    for (const type of recordedEventTypes(this.#database)) this.#announce(type);
    this.#trouble.read(this.#database);
  }

  spend(): SpendRow[] {
    this.#read();
    return this.#spend.spend();
  }

  /** An announced job counts as shown even if nobody polled it. */
  #announce(type: string): void {
    this.eventTypes.add(type);
    const [, end] = GENERATION_END.exec(type) ?? [];
    if (end) this.jobStates.add(end);
  }

  #see(record: JournalRecord): void {
    const { operation, error, error_message: message = '', shown = [] } = record;
    this.#trouble.refuse(record);
    this.requests += 1;
    if (operation !== null) this.operations.add(operation);
    // A request rejected for its key or fields still belongs to an operation.
    if (operation === null && UNROUTED.includes(error)) this.unrouted ??= message;
    else this.answered += 1;
    if (error !== undefined) this.errorCodes.add(error);
    for (const { status } of shown) this.jobStates.add(status);
  }
}
