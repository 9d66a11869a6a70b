import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import { EmulatorError } from '../errors.ts';
import { type CdnPath, parseCdnPath } from '../storage/cdn-path.ts';
import { systemCode } from '../storage/disk-error.ts';
import { findObject } from '../storage/object-store.ts';
import { checkSignature } from '../storage/signed-url.ts';
import { entryName } from './library.ts';
import { selectLibraryFile } from './library-store.ts';
import { RenderAgain, type RenderAgainParts } from './render-again.ts';

/** What a CDN address stands for. */
export interface ServedFile {
  /** The name of its immutable file: it changes when the bytes do. */
  file: string;
  name: string;
  bytes: number;
  contentType: string;
}

export interface ServedFilesParts extends RenderAgainParts {
  clock: Clock;
}

/** From CDN addresses to bytes; a render that was taken off the disk is made again when it is read [I176]. */
export class ServedFiles {
  readonly #parts: ServedFilesParts;
  readonly #again: RenderAgain;

  constructor(parts: ServedFilesParts) {
    this.#parts = parts;
    this.#again = new RenderAgain(parts);
  }

  /**
   * What stands at a path, `query` being what follows its question mark.
   * Throws `not_found`; for a library entry also `invalid_signature` and `url_expired` [I043 I166].
   */
  find(path: string, query: string): ServedFile {
    const address = parseCdnPath(path);
    if (!address) throw nothingAt(path);
    if (address.area === 'library') {
      checkSignature(this.#parts.db, path, query, this.#parts.clock.now());
    }
    const found = address.area === 'library' ? this.#entry(address) : this.#object(address);
    if (found?.name !== address.name) throw nothingAt(path);
    return found;
  }

  /** A small part of a file, read at once: from the page cache that is cheaper than asking another thread. */
  readNow(file: string, start: number, length: number): Buffer | undefined {
    const descriptor = openNow(this.#parts.files.path(file));
    if (descriptor === undefined) return undefined;
    this.#parts.files.touch(file);
    try {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, start));
    } finally {
      closeSync(descriptor);
    }
  }

  /** Opens a file for reading, if it is on the disk; the caller closes it. */
  async open(file: string): Promise<FileHandle | undefined> {
    const handle = await openIfThere(this.#parts.files.path(file));
    if (handle) this.#parts.files.touch(file);
    return handle;
  }

  /** Makes a file again that is not on the disk, and keeps it there for the time of `work`. Throws as a render does. */
  again<T>(file: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.files.holding(async (hold) => {
      hold.claim(file);
      await this.#again.make(file);
      return work();
    });
  }

  /** The whole of a file, as for a reference picture. */
  async read(file: string): Promise<Buffer> {
    const handle = await this.open(file);
    if (!handle) return this.again(file, () => readFile(this.#parts.files.path(file)));
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  #object({ id }: CdnPath): ServedFile | undefined {
    return findObject(this.#parts.db, id);
  }

  #entry({ id }: CdnPath): ServedFile | undefined {
    const entry = selectLibraryFile(this.#parts.db, id);
    return entry && { ...entry, name: entryName(entry) };
  }
}

function openNow(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function nothingAt(path: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is nothing at ${path}: it was deleted or never made. The API's answers give the URLs of what there is.`,
  );
}
