import { hash } from 'node:crypto';
import type { Database } from '../../base/database/database.ts';
import type { RenderedFile, RenderRequest } from '../../media/render-request.ts';
import type { FilePins, Files } from '../storage/files.ts';
import { selectPicture } from './entry-store.ts';
import { insertPicture, type LibraryFile } from './library-store.ts';

/** Increase it with every change to the look of thumbnails. */
const VERSION = 1;

export interface ThumbnailParts {
  db: Database;
  files: Files;
  render: (request: RenderRequest, target: string) => Promise<RenderedFile>;
}

export function thumbnailName(file: string): string {
  return hash('sha256', `thumbnail ${VERSION} of ${file}`, 'hex');
}

/** Thumbnails are rendered at the first request and kept as long as the entry. */
export class Thumbnails {
  readonly #parts: ThumbnailParts;
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** Concurrent calls render once. `bring` puts the entry's own file on the disk. */
  async make(entry: LibraryFile, bring: () => Promise<void>): Promise<void> {
    const name = thumbnailName(entry.file);
    const draw = () => this.#draw(entry, name, bring);
    const made = (this.#running.get(name) ?? Promise.resolve()).then(draw, draw);
    this.#running.set(name, made);
    try {
      await made;
    } finally {
      if (this.#running.get(name) === made) this.#running.delete(name);
    }
  }

  #draw(entry: LibraryFile, name: string, bring: () => Promise<void>): Promise<void> {
    const { db, files } = this.#parts;
    return files.withPins(async (pins) => {
      const known = pins.find(name);
      if (known && selectPicture(db, name, entry.id)) return;
      const file = known ?? (await this.#render(entry, { name, pins, bring }));
      await db.transact((tx) => {
        files.keep(tx, { ...file, name, origin: 'render' });
        insertPicture(tx, name, entry.id);
      });
    });
  }

  async #render(
    { file, contentType }: LibraryFile,
    { name, pins, bring }: { name: string; pins: FilePins; bring: () => Promise<void> },
  ): Promise<RenderedFile> {
    const { files, render } = this.#parts;
    pins.claim(file);
    await bring();
    const target = files.scratchPath();
    const of = { sha256: file, path: files.path(file) };
    const made = await render({ kind: 'thumbnail', of, contentType }, target);
    await pins.place(target, name);
    return made;
  }
}
