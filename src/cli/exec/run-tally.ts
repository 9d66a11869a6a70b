import type { Database } from '../../base/database/database.ts';
import type { SpendRow } from '../../check/spend/spend-store.ts';
import { SpendTally } from '../../check/spend/spend-tally.ts';
import type { Journal } from '../../engine/journal/journal.ts';
import type { JournalFacts } from '../../engine/journal/request-schemas.ts';
import type { FailureSummary } from './failure-summary.ts';
import { recordedEventTypes } from './run-report-store.ts';

/** What a request is answered that is for no operation. */
const UNROUTED: readonly unknown[] = ['not_found', 'method_not_allowed', 'forbidden_host', 'forbidden_origin'];

const GENERATION_END = /^(?:video|music)\.generation\.(succeeded|failed)$/;

/**
 * Keeps count, next to an emulator, of what a whole run has spent and touched: over resets and restores, and whatever
 * becomes of the journal.
 */
export class RunTally {
  /** Requests to the service, whatever their result; also those that lack /v1. */
  requests = 0;
  /** Those of them whose path and method belong to an operation. */
  answered = 0;
  /** What the first of the others was answered. */
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

  /** Counts from now on. */
  attach({ database, journal }: { database: Database; journal: Journal }): void {
    this.#database = database;
    journal.observe((facts) => this.#see(facts));
    this.#spend.attach({ database });
  }

  /** The state is another one: what was spent in it before does not count. */
  begin(): void {
    this.#spend.begin();
  }

  /** The state is about to go: what was spent in it counts. */
  keep(): void {
    this.#spend.keep();
    this.#read();
  }

  #read(): void {
    if (!this.#database) return;
    for (const type of recordedEventTypes(this.#database)) this.#announce(type);
    this.#trouble.read(this.#database);
  }

  /** The spend so far, by account, operation and model. */
  spend(): SpendRow[] {
    this.#read();
    return this.#spend.spend();
  }

  /** A job's end that was announced has been shown, whether anybody polled it or not. */
  #announce(type: string): void {
    this.eventTypes.add(type);
    const [, end] = GENERATION_END.exec(type) ?? [];
    if (end) this.jobStates.add(end);
  }

  #see(facts: JournalFacts): void {
    const { operation, error, error_message: message = '', shown = [] } = facts;
    this.#trouble.refuse(facts);
    this.requests += 1;
    if (operation !== null) this.operations.add(operation);
    // A request that is refused for its key or its fields still belongs to an operation.
    if (operation === null && UNROUTED.includes(error)) this.unrouted ??= message;
    else this.answered += 1;
    if (error !== undefined) this.errorCodes.add(error);
    for (const { status } of shown) this.jobStates.add(status);
  }
}
