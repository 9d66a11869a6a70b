import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type Pack, pack } from 'tar-stream';
import { z } from 'zod';
import { moment } from './content-check-store.ts';
import type { SnapshotRecord } from './snapshot-folder.ts';
import { copyStream, hashed } from './stream-copy.ts';

/** Where a snapshot's content is. */
export interface ContentPaths {
  database: string;
  files: string;
}

/** The archive of a snapshot, made as fast as it is read; `ended` settles when the content is needed no more. */
export function packSnapshot(record: SnapshotRecord, paths: ContentPaths): { archive: Readable; ended: Promise<void> } {
  const archive = pack();
  const ended = new Packing(archive, record.created)
    .run(record, paths)
    .catch((error: Error) => void archive.destroy(error));
  return { archive: Readable.from(archive), ended };
}

class Packing {
  readonly #archive: Pack;
  readonly #mtime: Date;
  readonly #checksums: Record<string, string> = {};

  constructor(archive: Pack, created: number) {
    this.#archive = archive;
    this.#mtime = new Date(created);
  }

  async run({ created, now, frozen }: SnapshotRecord, paths: ContentPaths): Promise<void> {
    const about = { program: 'svc-emulator', format: 1, created, now, frozen };
    this.#addText(ABOUT, JSON.stringify(about));
    await this.#addFile(DATABASE, paths.database);
    for (const name of (await readdir(paths.files)).sort()) {
      if (this.#archive.destroyed) return;
      await this.#addFile(FILES + name, path.join(paths.files, name));
    }
    this.#addText(CHECKSUMS, JSON.stringify(this.#checksums));
    this.#archive.finalize();
  }

  #addText(name: string, text: string): void {
    this.#archive.entry({ name, mtime: this.#mtime }, text);
    this.#checksums[name] = createHash('sha256').update(text).digest('hex');
  }

  async #addFile(name: string, file: string): Promise<void> {
    const { size } = await stat(file);
    const entry = this.#archive.entry({ name, size, mtime: this.#mtime });
    const hash = createHash('sha256');
    await copyStream(hashed(createReadStream(file), hash), entry);
    this.#checksums[name] = hash.digest('hex');
  }
}

/**
 * A snapshot as one file, a tar of plain files in this order: what it is, the database, each of its files, and the
 * SHA-256 of all these.
 */
export const ARCHIVE_TYPE = 'application/x-tar';

export const ABOUT = 'snapshot.json';
export const DATABASE = 'emulator.db';
export const FILES = 'files/';
export const CHECKSUMS = 'checksums.json';

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
