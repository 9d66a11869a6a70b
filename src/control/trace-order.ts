import type { CatalogueFile } from '../catalogue/catalogue-file.ts';
import type { SentFixture } from '../fixtures/considered.ts';
import type { OutputKinds } from '../flows/step-kind.ts';
import type { AuditRow } from '../journal/audit-store.ts';
import type { JournalRow } from '../journal/journal-store.ts';
import type { ThreadFailure } from '../storage/thread-failure.ts';
import type { OutputLine, TraceHead } from '../trace/trace-file.ts';

export const MEDIA = ['none', 'small', 'whole'] as const;
export type MediaSize = (typeof MEDIA)[number];

/** What a trace holds at most of each kind of row. */
export const MOST_ROWS = 50_000;

/** Of what a thread is to make a trace: it reads the database by itself, and asks for what it cannot reach. */
export interface TraceOrder {
  /** The file of the database, and that of the page, which is not there yet. */
  database: string;
  target: string;
  baseUrl: string;
  accountId: string | undefined;
  media: MediaSize;
  /** Texts that are masked. */
  secrets: readonly string[];
  head: Omit<TraceHead, 'span' | 'leftOut'>;
  /** Milliseconds of the machine's clock; it began with the first request or line of output, unless that is known. */
  span: { began: number | undefined; firstLine: number | undefined; ended: number };
  /** Older requests and acts of which there is no room. */
  leftOut: { requests: number; acts: boolean };
  /** Milliseconds of the emulator's clock. */
  now: number;
  seed: number | undefined;
  catalogue: CatalogueFile;
  fixtures: readonly SentFixture[];
  kinds: OutputKinds;
}

/** Rows that come by pieces: an empty one is the end. `stories` are requests once more, newest first. */
export interface TraceRows {
  requests: JournalRow;
  stories: JournalRow;
  acts: AuditRow;
  output: OutputLine;
}

/** A file as the CDN serves it. */
export interface TraceBytes {
  body: Uint8Array;
  contentType: string;
}

/** What a thread asks for, one thing after another. */
export type TraceAsk = { rows: keyof TraceRows } | { file: { path: string; query: string } };

/** What it says. */
export type TraceReport = { ask: TraceAsk } | { done: true } | ThreadFailure;
