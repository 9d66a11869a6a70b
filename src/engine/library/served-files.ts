import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { RenderedFile, RenderRequest } from '../../media/render-request.ts';
import { withPicturePaths } from '../../media/request-measures.ts';
import { type CdnPath, markUrlExpired, parseCdnPath, verifyUrlSignature } from '../storage/cdn-url.ts';
import { extensionOfContentType, findFile } from '../storage/file-store.ts';
import type { FilePins, Files } from '../storage/files.ts';
import { findObject } from '../storage/object-store.ts';
import { type FileInfo, findElement, findElementFile } from './element-store.ts';
import {
  findLibraryFile,
  findRenderInputOfFile,
  hasFileUse,
  insertFileUse,
  type LibraryFile,
  libraryFileName,
  updateRenderSize,
} from './library-store.ts';

/** `created` is in milliseconds. The example files of sample events have none. */
export interface ServedFile extends FileInfo {
  accountId: string;
  created?: number;
}

interface ServedFilesParts {
  db: Database;
  files: Files;
  clock: Clock;
  render: (request: RenderRequest, target: string) => Promise<RenderedFile>;
}

/**
 * Serves the files of CDN URLs. A deleted render is made again when it is read, from its recipe in the library [I176].
 * A thumbnail that is not on the disk is rendered when it is read.
 */
export class ServedFiles {
  readonly #parts: ServedFilesParts;
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: ServedFilesParts) {
    this.#parts = parts;
  }

  /**
   * `query` is the part after the question mark. Throws `not_found`; for a signed URL also `invalid_signature` and
   * `url_expired` [I043 I166].
   */
  find(path: string, query: string): ServedFile {
    const address = parseCdnPath(path);
    if (!address) throw nothingAt(path);
    if (address.area !== 'objects') verifyUrlSignature(this.#parts.db, path, query, this.#parts.clock.now());
    const found = this.#at(address);
    if (found?.name !== address.name) throw nothingAt(path);
    return found;
  }

  async renderOther(request: RenderRequest): Promise<Buffer> {
    const { files, render } = this.#parts;
    const target = files.scratchPath();
    try {
      await render(
        withPicturePaths(request, (name) => files.path(name)),
        target,
      );
      return await readFile(target);
    } finally {
      await rm(target, { force: true });
    }
  }

  expire(path: string, query: string): Promise<void> {
    return this.#parts.db.transact((tx) => markUrlExpired(tx, path, query));
  }

  /** The account of the file at a CDN path. Does not check the signature. */
  ownerOf(path: string): string | undefined {
    const address = parseCdnPath(path);
    return address && this.#at(address)?.accountId;
  }

  async draw(path: string, query: string): Promise<ServedFile> {
    const { db, clock } = this.#parts;
    verifyUrlSignature(db, path, query, clock.now());
    const entry = findLibraryFile(db, parseCdnPath(path)?.id ?? '');
    if (!entry) throw nothingAt(path);
    await this.#drawThumbnail(entry);
    return this.find(path, query);
  }

  /** Renders a missing file again, and keeps it on the disk during `work`. Rejects as a render does, or with `not_found`. */
  again<T>(file: string, work: () => Promise<T>): Promise<T> {
    return this.#parts.files.withPins(async (pins) => {
      pins.pin(file);
      await this.#makeAgain(file);
      return work();
    });
  }

  async read(file: string): Promise<Buffer> {
    const handle = await this.#parts.files.open(file);
    if (!handle) return this.again(file, () => readFile(this.#parts.files.path(file)));
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  }

  #at({ area, id, name }: CdnPath): ServedFile | undefined {
    const { db } = this.#parts;
    if (area === 'objects') return findObject(db, id);
    if (area === 'elements') return this.#element(id, name);
    const entry = findLibraryFile(db, id);
    if (area === 'library') return entry && { ...entry, name: libraryFileName(entry) };
    const small = entry && findFile(db, thumbnailName(entry.file));
    if (!entry || !small) return undefined;
    const served = { file: small.name, name: `${id}.${extensionOfContentType(small.contentType)}` };
    return { ...small, ...served, accountId: entry.accountId, created: entry.created };
  }

  #element(id: string, name: string): ServedFile | undefined {
    const element = findElement(this.#parts.db, id);
    const given = name.startsWith('voice.') ? element?.voice : element?.picture;
    if (!element || !given) return undefined;
    const file = findElementFile(this.#parts.db, given, name.split('.')[0] ?? '');
    return file && { ...file, accountId: element.accountId, created: element.created };
  }

  /** Concurrent calls for one file share a render. Rejects with `not_found` if no library entry has this render. */
  #makeAgain(file: string): Promise<void> {
    return this.#running.get(file) ?? this.#beginAgain(file);
  }

  #beginAgain(file: string): Promise<void> {
    const render = this.#renderAgain(file).finally(() => this.#running.delete(file));
    this.#running.set(file, render);
    return render;
  }

  async #renderAgain(file: string): Promise<void> {
    const { db, files, render } = this.#parts;
    const request = findRenderInputOfFile(db, file);
    if (!request || request.kind === 'given') throw lost(file);
    await files.withPins(async (pins) => {
      if (pins.find(file)) return;
      const located = withPicturePaths(request, (name) => files.path(name));
      const made = await pins.make(file, (target) => render(located, target));
      await db.transact((tx) => {
        files.register(tx, { ...made, name: file }, 'render');
        updateRenderSize(tx, file, made.bytes);
      });
    });
  }

  /** Calls for one thumbnail run one after another, so that only the first one renders it. */
  async #drawThumbnail(entry: LibraryFile): Promise<void> {
    const name = thumbnailName(entry.file);
    const draw = () => this.#keepThumbnail(entry, name);
    const made = (this.#running.get(name) ?? Promise.resolve()).then(draw, draw);
    this.#running.set(name, made);
    try {
      await made;
    } finally {
      if (this.#running.get(name) === made) this.#running.delete(name);
    }
  }

  #keepThumbnail(entry: LibraryFile, name: string): Promise<void> {
    const { db, files } = this.#parts;
    return files.withPins(async (pins) => {
      const known = pins.find(name);
      if (known && hasFileUse(db, name, entry.id)) return;
      const file = known ?? (await this.#renderThumbnail(entry, name, pins));
      await db.transact((tx) => {
        files.register(tx, { ...file, name }, 'render');
        insertFileUse(tx, name, entry.id);
      });
    });
  }

  async #renderThumbnail({ file, contentType }: LibraryFile, name: string, pins: FilePins): Promise<RenderedFile> {
    const { files, render } = this.#parts;
    pins.pin(file);
    const handle = await files.open(file);
    await (handle ? handle.close() : this.#makeAgain(file));
    const of = { sha256: file, path: files.path(file) };
    return pins.make(name, (target) => render({ kind: 'thumbnail', of, contentType }, target));
  }
}

function nothingAt(path: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `There is no file at ${path}: it was deleted or never existed. Use a URL that the API returned.`,
    { choice: 'C073' },
  );
}

/** Increase this number with every change to the look of thumbnails. */
const VERSION = 1;

function thumbnailName(file: string): string {
  return hash('sha256', `thumbnail ${VERSION} of ${file}`, 'hex');
}

function lost(file: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `The bytes of this file are missing from the data folder (files/${file}), and it is not a render, so it cannot be made again. Upload it again.`,
  );
}
