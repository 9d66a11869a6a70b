import { createHash } from 'node:crypto';
import { close, open, writev } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { asDiskError } from '../../base/errors.ts';

/** A file that arrived whole. It stays at `scratchPath` until it is moved into storage or discarded. */
export interface Upload {
  scratchPath: string;
  /** Hex. */
  sha256: string;
  bytes: number;
  /** As the sender says, without parameters; `application/octet-stream` where that is nonsense. */
  contentType: string;
  /** As the sender says: any text. */
  originalName: string;
  /** The first 4 KiB. */
  head: Buffer;
  /** Removes the file; without effect when it has been moved. */
  discard(): Promise<void>;
}

/** How many bytes may wait for the disk before the sender has to wait. */
const BUFFER = 1_048_576;
/** Enough of the start to identify the type of a file. */
const HEAD = 4096;

type Done = (error?: Error | null) => void;

/** Writes a file and hashes it on the way, so that its bytes are never read again. */
export class UploadSink extends Writable {
  readonly path: string;
  bytes = 0;
  readonly #hash = createHash('sha256');
  #head = Buffer.alloc(0);
  #fd = -1;

  constructor(path: string) {
    super({ highWaterMark: BUFFER });
    this.path = path;
  }

  /** Hex; once, after the end. */
  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** The first 4 KiB. */
  get head(): Buffer {
    return this.#head;
  }

  /** Stops writing and removes the file. */
  async discard(): Promise<void> {
    if (!this.closed) {
      const closed = new Promise((resolve) => this.once('close', resolve));
      this.on('error', () => undefined);
      this.destroy();
      await closed;
    }
    await rm(this.path, { force: true });
  }

  override _construct(done: Done): void {
    open(this.path, 'wx', (error, fd) => {
      this.#fd = error ? -1 : fd;
      done(asError(error));
    });
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#take([chunk], done);
  }

  /** What arrived while the disk was busy is written in one call. */
  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#take(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  override _destroy(error: Error | null, done: Done): void {
    if (this.#fd === -1) done(error);
    else close(this.#fd, (failure) => done(error ?? asError(failure)));
  }

  #take(chunks: Buffer[], done: Done): void {
    this.#write(chunks, done);
    // While the disk works on it.
    for (const chunk of chunks) this.#note(chunk);
  }

  #note(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    const missing = HEAD - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, chunk.subarray(0, missing)]);
  }

  #write(chunks: Buffer[], done: Done): void {
    writev(this.#fd, chunks, (error, written) => {
      const rest = error ? [] : unwritten(chunks, written);
      if (error || rest.length === 0) done(asError(error));
      else this.#write(rest, done);
    });
  }
}

/** What a call that wrote only `written` bytes has left; an almost full disk does that. */
function unwritten(chunks: Buffer[], written: number): Buffer[] {
  const [first, ...others] = chunks;
  if (!first) return [];
  if (written < first.length) return [first.subarray(written), ...others];
  return unwritten(others, written - first.length);
}

function asError(error: Error | null): Error | null {
  return error && (asDiskError(error) as Error);
}
