import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Extract, extract, type Pack, pack } from 'tar-stream';
import { z } from 'zod';
import { asDiskError, EmulatorError, invalid, systemCode } from '../../base/errors.ts';
import { moment } from './content-check-store.ts';
import type { SnapshotRecord } from './snapshot-folder.ts';

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

/** How long the two texts may be in bytes, and how many files there may be. */
const LONGEST_TEXT = 128 * 1_048_576;
const MOST_ENTRIES = 1_000_000;
const FILE = /^files\/([0-9a-f]{64})$/;

type Entry = Extract extends AsyncIterable<infer Each> ? Each : never;

export interface Unpacked {
  about: z.output<typeof archiveAbout>;
  /** SHA-256 in hex by the name of the file. */
  files: Map<string, string>;
  bytes: number;
}

/**
 * Writes what an archive holds to empty folders: nothing but the database and files under plain names, each as its
 * checksum says. Throws `invalid_request` for anything else, and `storage_full`, also for more than `mostBytes`.
 */
export async function unpackSnapshot(
  content: AsyncIterable<Buffer>,
  paths: ContentPaths,
  mostBytes: number,
): Promise<Unpacked> {
  const reading = new Unpacking(paths, mostBytes);
  const archive = extract();
  try {
    await Promise.all([
      copyStream(content, archive),
      (async () => {
        for await (const entry of archive) await reading.take(entry);
      })(),
    ]);
  } catch (error) {
    throw understood(error);
  }
  return reading.result();
}

class Unpacking {
  readonly #paths: ContentPaths;
  readonly #hashes = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(paths: ContentPaths, mostBytes: number) {
    this.#paths = paths;
    this.#mostBytes = mostBytes;
  }

  async take(entry: Entry): Promise<void> {
    const { name, type, size = 0 } = entry.header;
    if (type !== 'file') throw refused(`${shown(name)} is no plain file`);
    if (this.#hashes.has(name)) throw refused(`${shown(name)} is in it twice`);
    if (this.#hashes.size >= MOST_ENTRIES) throw refused('it has more than a million files');
    this.#bytes += size;
    // Before any of it is written: an entry cannot be longer than it says.
    if (this.#bytes > this.#mostBytes) throw tooLarge(this.#mostBytes);
    if (name === ABOUT || name === CHECKSUMS) await this.#takeText(name, entry, size);
    else await this.#takeFile(name, entry);
  }

  result(): Unpacked {
    const about = readText(archiveAbout, ABOUT, this.#texts);
    const checksums = readText(archiveChecksums, CHECKSUMS, this.#texts);
    this.#hashes.delete(CHECKSUMS);
    for (const name of new Set([...this.#hashes.keys(), ...Object.keys(checksums)])) {
      if (this.#hashes.get(name) !== checksums[name]) throw refused(`${shown(name)} is damaged`);
    }
    if (!this.#hashes.has(DATABASE)) throw refused(`it has no ${DATABASE}`);
    const files = [...this.#hashes].filter(([name]) => name.startsWith(FILES));
    const bare = files.map(([name, hash]) => [name.slice(FILES.length), hash] as const);
    return { about, files: new Map(bare), bytes: this.#bytes };
  }

  async #takeText(name: string, entry: Entry, size: number): Promise<void> {
    if (size > LONGEST_TEXT) throw refused(`${name} is too long`);
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    this.#texts.set(name, bytes.toString());
    this.#hashes.set(name, createHash('sha256').update(bytes).digest('hex'));
  }

  async #takeFile(name: string, entry: Entry): Promise<void> {
    const target = this.#target(name);
    const hash = createHash('sha256');
    await pipeline(hashed(entry, hash), createWriteStream(target, { flags: 'wx', flush: true }));
    this.#hashes.set(name, hash.digest('hex'));
  }

  #target(name: string): string {
    if (name === DATABASE) return this.#paths.database;
    const file = FILE.exec(name)?.[1];
    if (!file) throw refused(`${shown(name)} is nothing that a snapshot has`);
    return path.join(this.#paths.files, file);
  }
}

function readText<S extends z.ZodType>(schema: S, name: string, texts: ReadonlyMap<string, string>): z.output<S> {
  const text = texts.get(name);
  if (text === undefined) throw refused(`it has no ${name}`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw refused(`its ${name} is not that of a snapshot of this version`);
  }
}

export function refused(reason: string): EmulatorError {
  return invalid(
    null,
    `The archive cannot be imported: ${reason}. Send one that GET /_emulator/snapshots/{name}/file gave, whole and unchanged.`,
  );
}

function tooLarge(mostBytes: number): EmulatorError {
  return new EmulatorError(
    'storage_full',
    `The archive holds more than the ${mostBytes} bytes of --max-disk. Start the emulator with a larger --max-disk, or import a smaller one. All is as before.`,
  );
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** What neither we nor the disk said is said of the tar. */
function understood(error: unknown): unknown {
  if (error instanceof EmulatorError) return error;
  const known = asDiskError(error);
  if (known !== error) return known;
  const code = systemCode(error);
  if (code !== undefined && !['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET'].includes(code)) {
    return error;
  }
  return refused(`it is no whole tar file (${(error as Error).message.slice(0, 100)})`);
}

/** What can be written to, at its own pace. */
export interface Sink {
  write(chunk: Uint8Array): boolean;
  end(last?: undefined): unknown;
  destroy(error?: Error): void;
  on(event: 'drain' | 'close', listener: () => void): unknown;
  off(event: 'drain' | 'close', listener: () => void): unknown;
  readonly destroyed: boolean;
}

/** Writes all that comes out of `source`, waiting where the sink is full; ends early when the sink is closed. */
export async function copyStream(source: AsyncIterable<Uint8Array>, sink: Sink): Promise<void> {
  try {
    for await (const chunk of source) {
      if (sink.destroyed) return;
      if (!sink.write(chunk)) await roomIn(sink);
    }
    sink.end();
  } catch (error) {
    sink.destroy(error as Error);
    throw error;
  }
}

function roomIn(sink: Sink): Promise<void> {
  if (sink.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const goOn = () => {
      sink.off('drain', goOn);
      sink.off('close', goOn);
      resolve();
    };
    sink.on('drain', goOn);
    sink.on('close', goOn);
  });
}

/** The same bytes, hashed on the way. */
export async function* hashed(source: AsyncIterable<unknown>, hash: Hash): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    hash.update(chunk as Uint8Array);
    yield chunk as Uint8Array;
  }
}
