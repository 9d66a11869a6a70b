import type { Reader } from '../../base/database/transaction.ts';
import type { OutputLine } from '../../base/output/output-line.ts';
import type { AuditRow } from '../../engine/journal/audit-reader-store.ts';
import type { NewestRequests } from '../../engine/journal/journal-reader.ts';
import type { JournalRow } from '../../engine/journal/journal-store.ts';
import { elementsOn } from '../../engine/library/elements.ts';
import { type DeliveryPage, listDeliveries, listEvents, type Page } from '../../engine/webhooks/webhook-records.ts';
import type { Context } from '../../service/http/context.ts';
import type { Operation } from '../../service/http/operation.ts';
import type { Call } from '../../service/http/request.ts';
import { listAllAccounts } from '../accounts.ts';
import { listAllFaults } from '../faults.ts';
import { listAllFlows } from '../flows.ts';
import { listAllJobs } from '../jobs.ts';
import { listElements, listLibrary, listOwnedObjects } from '../library.ts';
import { listAllDeliveries, listAllEndpoints, listAllEvents } from '../webhooks.ts';
import type { Row, TraceHead } from './trace-file.ts';

/** How many rows are read at once. */
const PAGE = 250;

const LISTS: readonly Operation[] = [
  listAllAccounts,
  listAllJobs,
  listLibrary,
  listAllEvents,
  listAllDeliveries,
  listAllEndpoints,
  listAllFaults,
  listAllFlows,
  listOwnedObjects,
  listElements,
];

/** Whose lists, read from where; `now` is in milliseconds of the emulator's clock. */
interface ListScope {
  database: Reader;
  now: number;
  accountId: string | undefined;
  baseUrl: string;
}

/** The lists of the control surface as it would answer them, newest first, by their paths below /_emulator. */
export function listsOf(scope: ListScope): [path: string, rows: AsyncGenerator<Row>][] {
  const context = readingParts(scope);
  return LISTS.map((operation) => [operation.path.replace('/_emulator', ''), rowsOf(operation, scope, context)]);
}

/** What lists work with, where nothing can be written: no more of each part than they call. */
function readingParts({ database, now }: ListScope) {
  return {
    database,
    clock: { now: () => now },
    elements: { list: elementsOn },
    webhooks: {
      listEvents: (page: Page) => listEvents(database, page),
      listDeliveries: (page: DeliveryPage) => listDeliveries(database, page),
    },
  };
}

async function* rowsOf(operation: Operation, { accountId, baseUrl }: ListScope, context: object): AsyncGenerator<Row> {
  // Accounts are narrowed by a search for one.
  const whose = operation === listAllAccounts ? { q: accountId } : { account_id: accountId };
  for (let after: string | undefined; ; ) {
    // A list looks at its query and at whom it answers, and at nothing else of a call.
    const call = { context, query: { ...whose, limit: PAGE, after }, baseUrl } as Partial<
      Call<unknown, unknown>
    > as Call<unknown, unknown>;
    const { data } = (await operation.handle(call)) as { data: Row[] };
    yield* data;
    if (data.length < PAGE) return;
    after = data.at(-1)?.id;
  }
}

/** The fields with the addresses of files, by the list's path and what of them is wanted. */
const FILE_FIELDS: Partial<Record<string, Partial<Record<MediaSize, readonly string[]>>>> = {
  '/library': { small: ['thumbnail_url'], whole: ['thumbnail_url', 'url'] },
  '/elements': { whole: ['picture_url', 'voice_url'] },
  '/objects': { whole: ['url'] },
};

/** Bytes of all files of a trace, and of one of them. */
const MOST_BYTES: Record<MediaSize, number> = { none: 0, small: 8 * 1_048_576, whole: 256 * 1_048_576 };
const MOST_OF_ONE = 64 * 1_048_576;
/** Bytes that are made base64 at once: by threes, so that the pieces are one. */
const PIECE = 3 * 65_536;

type ReadFile = (path: string, query: string) => Promise<TraceBytes | undefined>;

/** The newest files of a run that there is room for: small pictures of all, which of a sound are its peaks; or all of them. */
export class TraceMedia {
  /** How many there was no room for, or could not be read any more. */
  leftOut = 0;
  readonly #size: MediaSize;
  readonly #urls = new Set<string>();

  constructor(size: MediaSize) {
    this.#size = size;
  }

  /** Looks at the rows of a list with files as they pass, newest first. */
  async *seen(path: string, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    const fields = FILE_FIELDS[path]?.[this.#size] ?? [];
    for await (const row of rows) {
      for (const field of fields) if (typeof row[field] === 'string') this.#urls.add(row[field]);
      yield row;
    }
  }

  /** Each as a data URL in pieces of JSON, by its path. */
  async *fields(read: ReadFile): AsyncGenerator<[path: string, pieces: Iterable<string>]> {
    let room = MOST_BYTES[this.#size];
    for (const url of this.#urls) {
      const { pathname, search } = new URL(url, 'http://localhost');
      const found = room > 0 ? await read(pathname, search.slice(1)) : undefined;
      if (!found || found.body.length > Math.min(room, MOST_OF_ONE)) {
        this.leftOut += 1;
        continue;
      }
      room -= found.body.length;
      yield [pathname, dataUrl(found)];
    }
  }
}

function* dataUrl({ body, contentType }: TraceBytes): Generator<string> {
  // An archive from elsewhere may hold a media type with quotes.
  yield JSON.stringify(`data:${contentType};base64,`).slice(0, -1);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.toString('base64', from, from + PIECE);
  yield '"';
}

export const MEDIA = ['none', 'small', 'whole'] as const;
type MediaSize = (typeof MEDIA)[number];

/** What a trace holds at most of each kind of row. */
export const MOST_ROWS = 50_000;

/** Of what a trace is made. */
export interface TraceOrder {
  baseUrl: string;
  accountId: string | undefined;
  media: MediaSize;
  /** Texts that are masked. */
  secrets: readonly string[];
  head: Omit<TraceHead, 'span' | 'leftOut'>;
  /** Milliseconds of the machine's clock; it began with the first request or line of output, unless that is known. */
  span: { began: number | undefined; firstLine: number | undefined; ended: number };
  /** The stretch of the journal, and how many older requests there is no room for. */
  requests: NewestRequests;
  output: readonly OutputLine[];
  /** Milliseconds of the emulator's clock. */
  now: number;
}

/** A file as the CDN serves it. */
interface TraceBytes {
  body: Uint8Array;
  contentType: string;
}

/** What a trace holds at most: requests, and bytes of their bodies. */
const MOST_REQUESTS = { rows: 20_000, bytes: 48 * 1_048_576 };

export function newestRequests({ journal }: Pick<Context, 'journal'>, accountId: string | undefined) {
  return journal.newest(accountId, MOST_REQUESTS);
}

/** Requests by pieces: no more of them is ever in memory. */
export function* requestRows(
  { journal }: Pick<Context, 'journal'>,
  requests: NewestRequests,
  order: 'oldest first' | 'newest first',
): Generator<JournalRow> {
  const newestFirst = order === 'newest first';
  for (let { after, before } = requests; ; ) {
    const rows = journal.piece({ ...requests, after, before, newestFirst });
    const last = rows.at(-1)?.position;
    if (last === undefined) return;
    yield* rows;
    if (newestFirst) before = last;
    else after = last;
  }
}

/** What was done to the emulator, oldest first: what is behind `after`. */
export function* actRows({ audit }: Pick<Context, 'audit'>, after: number): Generator<AuditRow> {
  for (let from = after; ; ) {
    const rows = audit.piece(from);
    const last = rows.at(-1)?.position;
    if (last === undefined) return;
    yield* rows;
    from = last;
  }
}

/** Undefined for what cannot be read any more: the trace is of what there is. */
export async function readMedia(
  { served }: Pick<Context, 'served'>,
  path: string,
  query: string,
): Promise<TraceBytes | undefined> {
  try {
    const found = path.startsWith('/cdn/thumbnails/') ? await served.draw(path, query) : served.find(path, query);
    return { body: await served.read(found.file), contentType: found.contentType };
  } catch {
    return undefined;
  }
}
