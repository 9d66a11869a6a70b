import type { Cancel, Clock } from '../../base/clock/clock.ts';
import { WriteBehind } from '../../base/database/write-behind.ts';
import { AuditLog } from './audit-store.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalBodies, Noted } from './journal-record.ts';
import { JournalStore, type NewRow, openJournalFile, rowSize } from './journal-store.ts';
import type { JournalFacts } from './request-schemas.ts';

/** Called a moment after the response, when the request is recorded. */
export type JournalListener = (facts: JournalFacts) => void;

const MOST_BYTES = 256 * 1_048_576;
const BATCH = 128;

export interface JournalParts {
  clock: Clock;
  file: string;
  limit: number;
  /** Called if entries cannot be written, for example because the disk is full. The service continues without them. */
  onError(error: unknown): void;
}

/** Records every request, and the audit log in the same file. Written after the responses and bounded. */
export class Journal extends JournalReader {
  readonly audit: AuditLog;
  readonly #store: JournalStore;
  readonly #writer: WriteBehind<Noted, NewRow>;
  readonly #close: () => void;
  readonly #listeners = new Set<JournalListener>();
  generation = 0;

  constructor({ file, limit, ...parts }: JournalParts) {
    const connection = openJournalFile(file);
    super(connection);
    this.#close = () => connection.close();
    this.#store = new JournalStore(connection);
    this.audit = new AuditLog({ ...parts, connection });
    this.#writer = new WriteBehind({
      ...parts,
      table: this.#store,
      batch: BATCH,
      bounds: { rows: limit, bytes: MOST_BYTES },
      rowsOf: (requests: readonly Noted[]) => this.#record(requests),
      sizeOf: rowSize,
    });
  }

  /** Drops a request that began before the last reset. */
  note(noted: Noted): void {
    this.#writer.add(noted);
  }

  /** Forgets everything at a reset, and the requests that are still being answered once they end. */
  renew(): void {
    this.generation += 1;
    this.#writer.flush();
    this.#store.clear();
    this.#writer.recount();
    this.audit.clear();
  }

  observe(listener: JournalListener): Cancel {
    this.#writer.flush();
    this.#listeners.add(listener);
    return () => {
      this.#writer.flush();
      this.#listeners.delete(listener);
    };
  }

  close(): void {
    this.#writer.close();
    this.audit.close();
    this.isClosed = true;
    this.#close();
  }

  protected override flush(): void {
    this.#writer.flush();
  }

  #record(requests: readonly Noted[]): NewRow[] {
    return requests.flatMap((noted) => {
      const { facts, bodies } = noted.record();
      for (const listener of this.#listeners) listener(facts);
      return noted.generation === this.generation ? [rowOf(facts, bodies)] : [];
    });
  }
}

/** JSON leaves out undefined values. Copying the whole object is much faster than copying it without some fields. */
function rowOf(facts: JournalFacts, { request, answer }: JournalBodies): NewRow {
  const { id, account_id: accountId, status, key_id, operation, retry_count, credits, charges, job_ids } = facts;
  const present = {
    ...facts,
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
  return { id, accountId, status, facts: JSON.stringify(present), request, answer };
}
