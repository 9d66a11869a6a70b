import type { Cancel, Clock } from '../../base/clock/clock.ts';
import type { Connection } from '../../base/database/connection.ts';
import { WriteBehind } from '../../base/database/write-behind.ts';
import type { JournalBodies, Noted } from './journal-record.ts';
import { JournalStore, type NewRow, rowSize } from './journal-store.ts';
import type { JournalRecord } from './request-schemas.ts';

/** Called a moment after the response, when the request is recorded. */
export type JournalListener = (record: JournalRecord) => void;

const MOST_BYTES = 256 * 1_048_576;
const BATCH = 128;

interface WriterParts {
  clock: Clock;
  connection: Connection;
  limit: number;
  onError(error: unknown): void;
}

/** Records every request, after its response. The number of records is bounded. */
export class JournalWriter {
  generation = 0;
  readonly #store: JournalStore;
  readonly #rows: WriteBehind<Noted, NewRow>;
  readonly #listeners = new Set<JournalListener>();

  constructor({ connection, limit, ...parts }: WriterParts) {
    this.#store = new JournalStore(connection);
    this.#rows = new WriteBehind({
      ...parts,
      table: this.#store,
      batch: BATCH,
      bounds: { rows: limit, bytes: MOST_BYTES },
      rowsOf: (requests: readonly Noted[]) => this.#record(requests),
      sizeOf: rowSize,
    });
  }

  note(noted: Noted): void {
    this.#rows.add(noted);
  }

  flush(): void {
    this.#rows.flush();
  }

  renew(): void {
    this.generation += 1;
    this.#rows.flush();
    this.#store.clear();
    this.#rows.recount();
  }

  observe(listener: JournalListener): Cancel {
    this.#rows.flush();
    this.#listeners.add(listener);
    return () => {
      this.#rows.flush();
      this.#listeners.delete(listener);
    };
  }

  close(): void {
    this.#rows.close();
  }

  #record(requests: readonly Noted[]): NewRow[] {
    return requests.flatMap((noted) => {
      const { record, bodies } = noted.record();
      for (const listener of this.#listeners) listener(record);
      return noted.generation === this.generation ? [rowOf(record, bodies)] : [];
    });
  }
}

/** JSON leaves out undefined values. Copying the whole object is much faster than copying it without some fields. */
function rowOf(record: JournalRecord, { request, answer }: JournalBodies): NewRow {
  const { id, account_id: accountId, status, key_id, operation, retry_count, credits, charges, job_ids } = record;
  const present = {
    ...record,
    id: undefined,
    account_id: undefined,
    status: undefined,
    created: undefined,
    key_id: key_id ?? undefined,
    operation: operation ?? undefined,
    retry_count: retry_count || undefined,
    credits: credits ?? undefined,
    charges: charges.length > 0 ? charges : undefined,
    job_ids: job_ids.length > 0 ? job_ids : undefined,
  };
  return { id, accountId, status, record: JSON.stringify(present), request, answer };
}
