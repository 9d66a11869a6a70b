import { closeSync, openSync, readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { EmulatorError } from '../errors.ts';
import type { RenderedFile, RenderRequest } from '../render/render-request.ts';
import { type CdnPath, parseCdnPath } from '../storage/cdn-path.ts';
import { systemCode } from '../storage/disk-error.ts';
import type { Files, Hold } from '../storage/files.ts';
import { findObject } from '../storage/object-store.ts';
import { checkSignature } from '../storage/signed-url.ts';
import { entryName } from './library.ts';
import { selectLibraryFile, selectRender } from './library-store.ts';
import { withPicturesAt } from './render-pictures.ts';

/** What a CDN address stands for. */
export interface ServedFile {
  /** The name of its immutable file: it changes when the bytes do. */
  file: string;
  name: string;
  bytes: number;
  contentType: string;
}

export interface ServedFilesParts {
  db: Database;
  clock: Clock;
  files: Files;
  /** Makes a file anew at `target`: the renderer's own `render`. */
  render: (request: RenderRequest, target: string) => Promise<RenderedFile>;
}

/** From CDN addresses to bytes; a render that was taken off the disk is made again when it is read [I176]. */
export class ServedFiles {
  readonly #parts: ServedFilesParts;
  /** Renders under way, by the name of their file. */
  readonly #renders = new Map<string, Promise<void>>();

  constructor(parts: ServedFilesParts) {
    this.#parts = parts;
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

  /**
   * A small part of a file, read at once: from the page cache that is cheaper than asking another thread.
   * Undefined for a file that is not on the disk; `open` makes it again.
   */
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

  /** Opens a file for reading; the caller closes it. */
  async open(file: string): Promise<FileHandle> {
    this.#parts.files.touch(file);
    const path = this.#parts.files.path(file);
    const present = await openIfThere(path);
    if (present) return present;
    return this.#parts.files.holding(async (hold) => {
      await this.#restore(file, hold);
      return open(path);
    });
  }

  /** The whole of a file, as for a reference picture. */
  async read(file: string): Promise<Buffer> {
    const handle = await this.open(file);
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

  /** Renders once, however many ask at the same time. */
  #restore(file: string, hold: Hold): Promise<void> {
    hold.claim(file);
    return this.#renders.get(file) ?? this.#begin(file);
  }

  #begin(file: string): Promise<void> {
    const render = this.#render(file).finally(() => this.#renders.delete(file));
    this.#renders.set(file, render);
    return render;
  }

  async #render(file: string): Promise<void> {
    const { db, files, render } = this.#parts;
    const request = selectRender(db, file);
    if (!request) throw lost(file);
    await files.holding(async (hold) => {
      if (await hold.find(file)) return;
      const target = files.scratchPath();
      const made = await render(
        withPicturesAt(request, (name) => files.path(name)),
        target,
      );
      await hold.place(target, file);
      await db.transact((tx) => files.keep(tx, { ...made, name: file, origin: 'render' }));
    });
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

function lost(file: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `The bytes of this file are missing from the data folder (files/${file.slice(0, 2)}/${file}), and it is no render that could be made again. Upload it anew.`,
  );
}
