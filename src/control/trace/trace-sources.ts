import type { OutputLine } from '../../base/output/output-line.ts';
import type { AuditRow } from '../../engine/journal/audit-store.ts';
import type { NewestRequests } from '../../engine/journal/journal.ts';
import type { JournalRow } from '../../engine/journal/journal-store.ts';
import type { Context } from '../../service/http/context.ts';
import type { TraceHead } from './trace-file.ts';

export const MEDIA = ['none', 'small', 'whole'] as const;
export type MediaSize = (typeof MEDIA)[number];

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
export interface TraceBytes {
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
