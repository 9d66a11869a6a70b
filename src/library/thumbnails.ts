import { hash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import type { RenderedFile, RenderRequest } from '../render/render-request.ts';
import type { Files, Hold } from '../storage/files.ts';
import { insertPicture, type LibraryFile, selectPicture } from './library-store.ts';

/** Raised with every change of how small pictures look. */
const VERSION = 1;

export interface ThumbnailParts {
  db: Database;
  files: Files;
  /** Makes a file at `target`: the renderer's own `render`. */
  render: (request: RenderRequest, target: string) => Promise<RenderedFile>;
}

/** The name of the small picture of a file. */
export function thumbnailName(file: string): string {
  return hash('sha256', `thumbnail ${VERSION} of ${file}`, 'hex');
}

/** Small pictures of library entries: drawn when first looked at, kept as long as the entry is there. */
export class Thumbnails {
  readonly #parts: ThumbnailParts;
  /** Under way, by the name of the small picture; who comes later finds it made. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: ThumbnailParts) {
    this.#parts = parts;
  }

  /** Draws it unless it is there, once however many ask. `bring` sees to it that the entry's own file is on the disk. */
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
    return files.holding(async (hold) => {
      const known = hold.find(name);
      if (known && selectPicture(db, name, entry.id)) return;
      const file = known ?? (await this.#render(entry, { name, hold, bring }));
      await db.transact((tx) => {
        files.keep(tx, { ...file, name, origin: 'render' });
        insertPicture(tx, name, entry.id);
      });
    });
  }

  async #render(
    { file, contentType }: LibraryFile,
    { name, hold, bring }: { name: string; hold: Hold; bring: () => Promise<void> },
  ): Promise<RenderedFile> {
    const { files, render } = this.#parts;
    hold.claim(file);
    await bring();
    const target = files.scratchPath();
    const of = { sha256: file, path: files.path(file) };
    const made = await render({ kind: 'thumbnail', of, contentType }, target);
    await hold.place(target, name);
    return made;
  }
}
