import type { Cancel, Clock } from '../../base/clock/clock.ts';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import type { Connection } from '../../base/database/connection.ts';
import { unknownCursorError } from '../../base/database/list-queries.ts';
import { type TableSize, WriteBehind } from '../../base/database/write-behind.ts';
import { AuditLog } from './audit-store.ts';
import { type JournalEntry, journalEntryOf, type RecordBuilder, toJournalRow } from './journal-record.ts';
import {
  exportJournalFile,
  isJournalFile,
  type JournalPageQuery,
  type JournalRange,
  type JournalRow,
  JournalStore,
  journalRowSize,
  type MatchingRequestPosition,
  mayHaveMoreRows,
  type NewJournalRow,
  openJournalFile,
  type RequestConditions,
} from './journal-store.ts';
import type { JournalRecord } from './request-schemas.ts';

interface JournalParts {
  clock: Clock;
  file: string;
  limit: number;
  /**
   * Called if entries cannot be written or restored, for example because the disk is full. The service continues
   * without them.
   */
  onError(error: unknown): void;
}

/** `after` is the id of the last entry of the previous page. */
interface JournalPage {
  accountId?: string | undefined;
  limit: number;
  after?: string | undefined;
}

export interface NewestRequestRange extends Omit<JournalRange, 'newestFirst'> {
  leftOut: number;
}

/** Called with the record of a request, a moment after its response. */
type JournalListener = (record: JournalRecord) => void;

const MAX_BYTES = 256 * 1_048_576;
const BATCH = 128;

/**
 * How many entries a search reads between two turns of the event loop. A search in bodies reads fewer (`TEXT_STRIDE`).
 */
const STRIDE = 500;
const TEXT_STRIDE = 100;
const MATCHED = 2000;

/** The requests to the service and to flows, recorded after their responses, and the audit log. Both are bounded. */
export class Journal {
  readonly audit: AuditLog;
  /** Increases at a reset or a restore: requests of an earlier epoch are not recorded. */
  epoch = 0;
  readonly #store: JournalStore;
  readonly #writer: WriteBehind<RecordBuilder, NewJournalRow>;
  readonly #listeners = new Set<JournalListener>();
  readonly #connection: Connection;
  readonly #onError: (error: unknown) => void;
  #isClosed = false;

  constructor({ file, limit, ...parts }: JournalParts) {
    const connection = openJournalFile(file);
    this.#store = new JournalStore(connection);
    this.#connection = connection;
    this.#onError = parts.onError;
    this.audit = new AuditLog({ ...parts, connection });
    this.#writer = new WriteBehind({
      ...parts,
      table: this.#store,
      batch: BATCH,
      bounds: { rows: limit, bytes: MAX_BYTES },
      rowsOf: (requests: readonly RecordBuilder[]) => this.#record(requests),
      sizeOf: journalRowSize,
    });
  }

  note(noted: RecordBuilder): void {
    this.#writer.add(noted);
  }

  observe(listener: JournalListener): Cancel {
    this.#writer.flush();
    this.#listeners.add(listener);
    return () => {
      this.#writer.flush();
      this.#listeners.delete(listener);
    };
  }

  /** Removes all entries. Requests that are still in progress are not recorded when they end. */
  reset(): void {
    this.epoch += 1;
    this.#written.clear();
    this.#writer.recount();
    this.audit.clear();
  }

  close(): void {
    this.#writer.close();
    this.audit.close();
    this.#isClosed = true;
    this.#connection.close();
  }

  /** Copies the journal to a file in pieces. Throws `storage_full`. */
  copyTo(file: string): Promise<void> {
    this.#writer.flush();
    this.audit.flush();
    return exportJournalFile(this.#connection, file);
  }

  async restore(file: string): Promise<void> {
    this.reset();
    try {
      if (isJournalFile(file)) await this.#store.importFile(file);
    } catch (error) {
      this.#onError(error);
    }
    this.#writer.recount();
    this.audit.recount();
  }

  /**
   * Finds requests of one account or of all, newest first. Reads in pieces, so that other work continues in between.
   * Throws `invalid_request` for an unknown `after`, before it reads.
   */
  search(page: JournalPage, wanted: RequestConditions): AsyncGenerator<JournalEntry[]> {
    this.#writer.flush();
    return this.#pieces({ ...page, before: this.#before(page.after) }, wanted);
  }

  async *#pieces(
    { accountId, limit, before }: JournalPageQuery,
    wanted: RequestConditions,
  ): AsyncGenerator<JournalEntry[]> {
    const stride = wanted.text === undefined ? STRIDE : TEXT_STRIDE;
    let [left, end] = [limit, before];
    while (left > 0 && !this.#isClosed) {
      const from = this.#store.floor({ accountId, before: end, limit: stride });
      if (from === undefined) return;
      const rows = this.#store.search({ accountId, before: end, from, limit: left }, wanted);
      yield rows.map(journalEntryOf);
      left -= rows.length;
      const last = rows.at(-1);
      // A full piece may end before `from`, so the next piece continues at the last row.
      end = last && mayHaveMoreRows(rows) ? last.position : from;
      await yieldToEventLoop();
    }
  }

  /** Finds the newest requests for which there is room. `room` counts rows and the bytes of bodies. Reads in pieces. */
  async newest(accountId: string | undefined, room: TableSize): Promise<NewestRequestRange> {
    this.#writer.flush();
    let [rows, bytes, after] = [0, 0, Number.MAX_SAFE_INTEGER];
    while (!this.#isClosed) {
      const sizes = this.#store.sizes({ accountId, before: after, limit: STRIDE });
      for (const each of sizes) {
        bytes += each.bytes;
        if (rows === room.rows || bytes > room.bytes) return this.#counted({ accountId, after: each.position, rows });
        rows += 1;
        after = each.position;
      }
      if (sizes.length < STRIDE) break;
      await yieldToEventLoop();
    }
    return this.#counted({ accountId, after: 0, rows });
  }

  piece(stretch: JournalRange): JournalRow[] {
    return this.#isClosed ? [] : this.#store.piece(stretch);
  }

  async visit(accountId: string | undefined, visit: (entry: JournalEntry) => void): Promise<void> {
    this.#writer.flush();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const rows = this.#store.piece({ accountId, after: 0, before, newestFirst: true });
      for (const row of rows) visit(journalEntryOf(row));
      const last = rows.at(-1);
      if (!last) return;
      before = last.position;
      await yieldToEventLoop();
    }
  }

  find(id: string): JournalEntry | undefined {
    const row = this.#written.find(id);
    return row && journalEntryOf(row);
  }

  async *matching(conditions: Parameters<JournalStore['matching']>[1]): AsyncGenerator<MatchingRequestPosition[]> {
    this.#writer.flush();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const from = this.#store.floor({ before, limit: MATCHED });
      if (from === undefined) return;
      yield this.#store.matching({ before, from }, conditions);
      before = from;
      await yieldToEventLoop();
    }
  }

  naming(id: string, limit: number): JournalEntry[] {
    return this.#written.naming(id, limit).map(journalEntryOf);
  }

  paths(text: string): string[] {
    return this.#written.paths(text);
  }

  count(): number {
    return this.#written.count(undefined);
  }

  #counted({
    accountId,
    after,
    rows,
  }: {
    accountId: string | undefined;
    after: number;
    rows: number;
  }): NewestRequestRange {
    const before = (this.#store.sizes({ before: Number.MAX_SAFE_INTEGER, limit: 1 })[0]?.position ?? 0) + 1;
    return { accountId, after, before, leftOut: Math.max(0, this.#store.count(accountId) - rows) };
  }

  #before(after: string | undefined): number {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : this.#written.find(after)?.position;
    if (before !== undefined) return before;
    throw unknownCursorError('a request on record', after ?? '');
  }

  get #written(): JournalStore {
    this.#writer.flush();
    return this.#store;
  }

  #record(requests: readonly RecordBuilder[]): NewJournalRow[] {
    return requests.flatMap((noted) => {
      const { record, bodies } = noted.record();
      for (const listener of this.#listeners) listener(record);
      return noted.journalEpoch === this.epoch ? [toJournalRow(record, bodies)] : [];
    });
  }
}
