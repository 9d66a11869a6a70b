import type { Cancel, Clock } from '../../base/clock/clock.ts';
import { WriteBehind } from '../../base/database/write-behind.ts';
import { AuditLog } from './audit-store.ts';
import { JournalReader } from './journal-reader.ts';
import type { JournalBodies, Noted } from './journal-record.ts';
import { JournalStore, type NewRow, openJournalFile, rowSize } from './journal-store.ts';
import type { JournalFacts } from './request-schemas.ts';

/** Called with each request when it is recorded: a moment after its answer is sent. */
export type JournalListener = (facts: JournalFacts) => void;

/** Characters of all rows. */
const MOST_BYTES = 256 * 1_048_576;
const BATCH = 128;

export interface JournalParts {
  clock: Clock;
  file: string;
  /** So many requests are kept. */
  limit: number;
  /** Called when entries could not be written, as on a full disk; the service goes on without them. */
  onError(error: unknown): void;
}

/** Every request, and the audit log in the same file: written after the answers and bounded. */
export class Journal extends JournalReader {
  readonly audit: AuditLog;
  readonly #store: JournalStore;
  readonly #writer: WriteBehind<Noted, NewRow>;
  readonly #close: () => void;
  readonly #listeners = new Set<JournalListener>();
  /** The number of resets so far. */
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

  /** Records a request, unless a reset has come after it. */
  note(noted: Noted): void {
    this.#writer.add(noted);
  }

  /** Forgets the requests of one account, or all. */
  clear(accountId?: string): void {
    this.#writer.flush();
    this.#store.delete(accountId);
    this.#writer.recount();
  }

  /** Forgets everything at a reset, and the requests that are still being answered once they end. */
  renew(): void {
    this.generation += 1;
    this.clear();
    this.audit.clear();
  }

  /** Calls `listener` with each request that is answered from now on. */
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

/** JSON leaves out what is undefined. A whole object is copied much faster than one without some of its fields. */
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
