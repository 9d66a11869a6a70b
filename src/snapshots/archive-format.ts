import { z } from 'zod';
import { LATEST } from './content-check-store.ts';

/**
 * A snapshot as one file, a tar of plain files in this order: what it is, the database, each of its files, and the
 * SHA-256 of all these.
 */
export const ARCHIVE_TYPE = 'application/x-tar';

export const ABOUT = 'snapshot.json';
export const DATABASE = 'emulator.db';
export const FILES = 'files/';
export const CHECKSUMS = 'checksums.json';

/** Milliseconds that an answer can contain as a date. */
export const moment = z.int().min(0).max(LATEST);

/** What the archive says of itself; times in milliseconds. */
export const archiveAbout = z.strictObject({
  program: z.literal('svc-emulator'),
  format: z.literal(1),
  created: moment,
  now: moment,
  frozen: z.boolean(),
});

/** SHA-256 in hex by entry. */
export const archiveChecksums = z.record(z.string(), z.string());
