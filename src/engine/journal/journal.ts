import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Cancel, Clock } from '../../base/clock/clock.ts';
import { type Reserve, type TableSize, WriteBehind } from '../../base/database/write-behind.ts';
import { invalid, quoted } from '../../base/errors.ts';
import { AuditLog } from './audit-store.ts';
import {
  entryOn,
  type JournalBodies,
  type JournalEntry,
  type KeptFacts,
  type Noted,
  type Timeline,
  WHOLE,
} from './journal-record.ts';
import {
  isFullPiece,
  type JournalRow,
  type JournalSlice,
  JournalStore,
  type JournalStretch,
  type NewRow,
  openJournalFile,
  rowSize,
  type Wanted,
} from './journal-store.ts';
import type { JournalFacts } from './request-schemas.ts';

/** A page of the journal, newest first; `after` is the id of the last entry of the page before. */
export interface JournalPage {
  accountId?: string | undefined;
  limit: number;
  after?: string | undefined;
}

/** A stretch of the journal up to its end, and how many older requests were left out. */
export interface NewestRequests extends Omit<JournalStretch, 'newestFirst'> {
  leftOut: number;
}

/** Called with each request when it is recorded: a moment after its answer is sent. */
export type JournalListener = (facts: JournalFacts) => void;

/** Characters of all rows. */
const MOST_BYTES = 256 * 1_048_576;
const BATCH = 128;

/** How many entries a search looks through between two turns of the event loop: fewer where it reads the bodies. */
const STRIDE = 500;
const TEXT_STRIDE = 100;

export interface JournalParts {
  clock: Clock;
  file: string;
  /** So many requests are kept. */
  limit: number;
  /** Without room on the disk the oldest entries make way for the newest. */
  reserve: Reserve;
  /** Called when entries could not be written, as on a full disk; the service goes on without them. */
  onError(error: unknown): void;
}

/** Every request, and the audit log in the same file: written after the answers and bounded. */
export class Journal {
  readonly audit: AuditLog;
  readonly #store: JournalStore;
  readonly #writer: WriteBehind<Noted, NewRow>;
  readonly #close: () => void;
  readonly #listeners = new Set<JournalListener>();
  readonly #forgetting = new Set<(accountId: string | undefined) => void>();
  #timeline: Timeline = WHOLE;
  /** The number of resets so far. */
  generation = 0;
  #isClosed = false;

  constructor({ file, limit, ...parts }: JournalParts) {
    const connection = openJournalFile(file);
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

  /** Sets the stretches of time in which the state came to be that is in use from now on. */
  follow(timeline: Timeline): void {
    this.#timeline = timeline;
  }

  /** Records a request, unless a reset has come after it. */
  note(noted: Noted): void {
    this.#writer.add(noted);
  }

  /** Newest first, of one account or of all. Throws `invalid_request` for an unknown `after`. */
  list({ accountId, limit, after }: JournalPage): JournalEntry[] {
    this.#writer.flush();
    return this.#store.list({ accountId, limit, before: this.#before(after) }).map((row) => this.#entry(row));
  }

  /** As `list`, of the entries that are wanted, in pieces: other work goes on between two. Throws as `list`, at once. */
  search(page: JournalPage, wanted: Wanted): AsyncGenerator<JournalEntry[]> {
    this.#writer.flush();
    return this.#pieces({ ...page, before: this.#before(page.after) }, wanted);
  }

  async *#pieces({ accountId, limit, before }: JournalSlice, wanted: Wanted): AsyncGenerator<JournalEntry[]> {
    const stride = wanted.text === undefined ? STRIDE : TEXT_STRIDE;
    let [left, end] = [limit, before];
    while (left > 0 && !this.#isClosed) {
      const from = this.#store.floor({ accountId, before: end, limit: stride }, wanted.status);
      if (from === undefined) return;
      const rows = this.#store.search({ accountId, before: end, from, limit: left }, wanted);
      yield rows.map((row) => this.#entry(row));
      left -= rows.length;
      const last = rows.at(-1);
      // A piece that is full may have ended before its stretch did.
      end = last && isFullPiece(rows) ? last.position : from;
      await nextTurn();
    }
  }

  /**
   * The stretch of the newest entries of one account, or of all, that fit into `room`, counted in rows and bytes of their
   * bodies, and how many older ones there are. It reads in slices.
   */
  async newest(accountId: string | undefined, room: TableSize): Promise<NewestRequests> {
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
      await nextTurn();
    }
    return this.#counted({ accountId, after: 0, rows });
  }

  /** The first rows of a stretch, as many as are read at once. */
  piece(stretch: JournalStretch): JournalRow[] {
    return this.#isClosed ? [] : this.#store.piece(stretch);
  }

  /** Calls `visit` with every entry of one account, or of all, newest first. It reads in slices. */
  async visit(accountId: string | undefined, visit: (entry: JournalEntry) => void): Promise<void> {
    this.#writer.flush();
    for (let before = Number.MAX_SAFE_INTEGER; !this.#isClosed; ) {
      const rows = this.#store.piece({ accountId, after: 0, before, newestFirst: true });
      for (const row of rows) visit(this.#entry(row));
      const last = rows.at(-1);
      if (!last) return;
      before = last.position;
      await nextTurn();
    }
  }

  /** One request, if it is on record. */
  find(id: string): JournalEntry | undefined {
    this.#writer.flush();
    const row = this.#store.find(id);
    return row && this.#entry(row);
  }

  /** Whether a request belongs to a future that a restore has discarded. */
  isDiscarded(id: string): true | undefined {
    return this.#timeline === WHOLE ? undefined : this.find(id)?.discarded;
  }

  /** Forgets the requests of one account, or all. */
  clear(accountId?: string): void {
    this.#writer.flush();
    this.#store.delete(accountId);
    this.#writer.recount();
    for (const listener of this.#forgetting) listener(accountId);
  }

  /** Forgets everything at a reset, and the requests that are still being answered once they end. */
  renew(): void {
    this.generation += 1;
    this.clear();
    this.audit.clear();
  }

  /** The entries after a position, oldest first, for an index of them. */
  writtenAfter(position: number, limit: number): (JournalEntry & { position: number })[] {
    this.#writer.flush();
    const rows = this.#store.after(position, limit);
    return rows.map((row) => Object.assign(this.#entry(row), { position: row.position }));
  }

  /** The position of the oldest entry; 0 when there is none. */
  firstPosition(): number {
    return this.#store.first();
  }

  /** Calls `listener` when requests were forgotten: with the account, or undefined for all. */
  observeForgetting(listener: (accountId: string | undefined) => void): Cancel {
    this.#forgetting.add(listener);
    return () => this.#forgetting.delete(listener);
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
    this.#isClosed = true;
    this.#close();
  }

  #record(requests: readonly Noted[]): NewRow[] {
    return requests.flatMap((noted) => {
      const { facts, bodies } = noted.record();
      for (const listener of this.#listeners) listener(facts);
      return noted.generation === this.generation ? [rowOf(facts, bodies)] : [];
    });
  }

  #entry(row: NewRow): JournalEntry {
    return entryOn(this.#timeline, row);
  }

  #counted({ accountId, after, rows }: { accountId: string | undefined; after: number; rows: number }): NewestRequests {
    const before = (this.#store.sizes({ before: Number.MAX_SAFE_INTEGER, limit: 1 })[0]?.position ?? 0) + 1;
    return { accountId, after, before, leftOut: Math.max(0, this.#store.count(accountId) - rows) };
  }

  #before(after: string | undefined): number {
    const before = after === undefined ? Number.MAX_SAFE_INTEGER : this.#store.position(after);
    if (before !== undefined) return before;
    throw invalid('after', `after must be the id of a request on record; ${quoted(after ?? '')} is none.`);
  }
}

/** JSON leaves out what is undefined. */
function rowOf({ created: _, ...facts }: JournalFacts, { request, answer }: JournalBodies): NewRow {
  const { id, account_id: accountId, status, ...kept } = facts;
  const { key_id, operation, retry_count, credits, charges, job_ids } = kept;
  const present: KeptFacts = {
    ...kept,
    key_id: key_id ?? undefined,
    operation: operation ?? undefined,
    retry_count: retry_count || undefined,
    credits: credits ?? undefined,
    charges: charges.length > 0 ? charges : undefined,
    job_ids: job_ids.length > 0 ? job_ids : undefined,
  };
  return { id, accountId, status, facts: JSON.stringify(present), request, answer };
}
