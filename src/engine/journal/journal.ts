import type { Cancel, Clock } from '../../base/clock/clock.ts';
import { nextTurn } from '../../base/clock/real-globals.ts';
import type { Connection } from '../../base/database/connection.ts';
import { unknownAfterError } from '../../base/database/list-queries.ts';
import { type TableSize, WriteBehind } from '../../base/database/write-behind.ts';
import { AuditLog } from './audit-store.ts';
import { type JournalBodies, type JournalEntry, journalEntryOf, type RecordSource } from './journal-record.ts';
import {
  isJournalFile,
  type JournalRange,
  type JournalRow,
  type JournalSlice,
  JournalStore,
  type MatchingRow,
  mayHaveMoreRows,
  type NewRow,
  openJournalFile,
  RecordedRequests,
  type RequestConditions,
  readRecord,
  rowSize,
  writeRecord,
} from './journal-store.ts';
import type { JournalRecord } from './request-schemas.ts';

interface JournalParts {
  clock: Clock;
  file: string;
  limit: number;
  /** Called if entries cannot be written, for example because the disk is full. The service continues without them. */
  onError(error: unknown): void;
}

/** `after` is the id of the last entry of the previous page. */
interface JournalPage {
  accountId?: string | undefined;
  limit: number;
  after?: string | undefined;
}

/** The newest entries, and how many older requests were left out. */
export interface NewestRequests extends Omit<JournalRange, 'newestFirst'> {
  leftOut: number;
}

/** Entries that a search reads between two turns of the event loop. Fewer if it reads bodies. */
const STRIDE = 500;
const TEXT_STRIDE = 100;
const MATCHED = 2000;

/** The recorded requests, and the audit log in the same file. */
export class Journal {
  readonly audit: AuditLog;
  readonly writer: JournalWriter;
  readonly #rows: RecordedRequests;
  readonly #connection: Connection;
  readonly #onError: (error: unknown) => void;
  #isClosed = false;

  constructor({ file, limit, ...parts }: JournalParts) {
    const connection = openJournalFile(file);
    this.#rows = new RecordedRequests(connection);
    this.#connection = connection;
    this.#onError = parts.onError;
    this.audit = new AuditLog({ ...parts, connection });
    this.writer = new JournalWriter({ ...parts, connection, limit });
  }

  /** Forgets everything at a reset. Requests that are still in progress are forgotten when they end. */
  reset(): void {
    this.writer.reset();
    this.audit.clear();
  }

  close(): void {
    this.writer.close();
    this.audit.close();
    this.#isClosed = true;
    this.#connection.close();
  }

  /** Writes what is on record now to a new file, in pieces. Throws `storage_full`. */
  copyTo(file: string): Promise<void> {
    this.writer.flush();
    this.audit.flush();
    return writeRecord(this.#connection, file);
  }

  /** Continues with the record in `file`, or with an empty one if that file cannot be read. */
  async restore(file: string): Promise<void> {
    this.reset();
    try {
      if (isJournalFile(file)) await readRecord(this.#connection, file);
    } catch (error) {
      this.#onError(error);
    }
    this.writer.recount();
    this.audit.recount();
  }

  /** Newest first, of one account or of all. Throws `invalid_request` for an unknown `after`. */
  list({ accountId, limit, after }: JournalPage): JournalEntry[] {
    this.writer.flush();
    return this.#rows.list({ accountId, limit, before: this.#before(after) }).map(journalEntryOf);
  }

  /** Reads in pieces, so that other work continues in between. Throws at once, as `list` does. */
  search(page: JournalPage, wanted: RequestConditions): AsyncGenerator<JournalEntry[]> {
    this.writer.flush();
    return this.#pieces({ ...page, before: this.#before(page.after) }, wanted);
  }

  async *#pieces(
    { accountId, limit, before }: JournalSlice,
    wanted: RequestConditions,
  ): AsyncGenerator<JournalEntry[]> {
    const stride = wanted.text === undefined ? STRIDE : TEXT_STRIDE;
    let [left, end] = [limit, before];
    while (left > 0 && !this.#isClosed) {
      const from = this.#rows.floor({ accountId, before: end, limit: stride });
      if (from === undefined) return;
      const rows = this.#rows.search({ accountId, before: end, from, limit: left }, wanted);
      yield rows.map(journalEntryOf);
      left -= rows.length;
      const last = rows.at(-1);
      // A full piece may have ended before its stretch did.
      end = last && mayHaveMoreRows(rows) ? last.position : from;
      await nextTurn();
    }
  }

  /**
   * The newest entries that fit into `room`, in rows and bytes of bodies, and the number of older ones. Reads in
   * pieces.
   */
  async newest(accountId: string | undefined, room: TableSize): Promise<NewestRequests> {
    this.writer.flush();
    let [rows, bytes, after] = [0, 0, Number.MAX_SAFE_INTEGER];
    while (!this.#isClosed) {
      const sizes = this.#rows.sizes({ accountId, before: after, limit: STRIDE });
      for (const each of sizes) {
        bytes += each.bytes;
        if (rows === room.rows || bytes > room.bytes) return this.#counted({ accountId, after: each.position, rows });
        rows += 1;
        after = each.position;
      }
      if (sizes.length < STRIDE) break;
      await nextTurn();
    }
    return this.#counted({ accountId, after: 0, rows });
  }

  piece(stretch: JournalRange): JournalRow[] {
    return this.#isClosed ? [] : this.#rows.piece(stretch);
  }

  /** Newest first, of one account or of all. Reads in pieces. */
  async visit(accountId: string | undefined, visit: (entry: JournalEntry) => void): Promise<void> {
    this.writer.flush();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const rows = this.#rows.piece({ accountId, after: 0, before, newestFirst: true });
      for (const row of rows) visit(journalEntryOf(row));
      const last = rows.at(-1);
      if (!last) return;
      before = last.position;
      await nextTurn();
    }
  }

  find(id: string): JournalEntry | undefined {
    this.writer.flush();
    const row = this.#rows.find(id);
    return row && journalEntryOf(row);
  }

  /** Newest first. Reads in pieces, so that other work continues in between. */
  async *matching(conditions: Parameters<RecordedRequests['matching']>[1]): AsyncGenerator<MatchingRow[]> {
    this.writer.flush();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const from = this.#rows.floor({ before, limit: MATCHED });
      if (from === undefined) return;
      yield this.#rows.matching({ before, from }, conditions);
      before = from;
      await nextTurn();
    }
  }

  naming(id: string, limit: number): JournalEntry[] {
    this.writer.flush();
    return this.#rows.naming(id, limit).map(journalEntryOf);
  }

  paths(text: string): string[] {
    this.writer.flush();
    return this.#rows.paths(text);
  }

  count(): number {
    this.writer.flush();
    return this.#rows.count(undefined);
  }

  #counted({ accountId, after, rows }: { accountId: string | undefined; after: number; rows: number }): NewestRequests {
    const before = (this.#rows.sizes({ before: Number.MAX_SAFE_INTEGER, limit: 1 })[0]?.position ?? 0) + 1;
    return { accountId, after, before, leftOut: Math.max(0, this.#rows.count(accountId) - rows) };
  }

  #before(after: string | undefined): number {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : this.#rows.position(after);
    if (before !== undefined) return before;
    throw unknownAfterError('a request on record', after ?? '');
  }
}

/** Called a moment after the response, when the request is recorded. */
type JournalListener = (record: JournalRecord) => void;

const MAX_BYTES = 256 * 1_048_576;
const BATCH = 128;

interface WriterParts {
  clock: Clock;
  connection: Connection;
  limit: number;
  onError(error: unknown): void;
}

/** Records every request, after its response. The number of records is bounded. */
class JournalWriter {
  journalEpoch = 0;
  readonly #store: JournalStore;
  readonly #rows: WriteBehind<RecordSource, NewRow>;
  readonly #listeners = new Set<JournalListener>();

  constructor({ connection, limit, ...parts }: WriterParts) {
    this.#store = new JournalStore(connection);
    this.#rows = new WriteBehind({
      ...parts,
      table: this.#store,
      batch: BATCH,
      bounds: { rows: limit, bytes: MAX_BYTES },
      rowsOf: (requests: readonly RecordSource[]) => this.#record(requests),
      sizeOf: rowSize,
    });
  }

  note(noted: RecordSource): void {
    this.#rows.add(noted);
  }

  flush(): void {
    this.#rows.flush();
  }

  reset(): void {
    this.journalEpoch += 1;
    this.#rows.flush();
    this.#store.clear();
    this.#rows.recount();
  }

  recount(): void {
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

  #record(requests: readonly RecordSource[]): NewRow[] {
    return requests.flatMap((noted) => {
      const { record, bodies } = noted.record();
      for (const listener of this.#listeners) listener(record);
      return noted.journalEpoch === this.journalEpoch ? [rowOf(record, bodies)] : [];
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
