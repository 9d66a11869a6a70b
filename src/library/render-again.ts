import type { Database } from '../database/database.ts';
import { EmulatorError } from '../errors.ts';
import type { RenderedFile, RenderRequest } from '../render/render-request.ts';
import type { Files } from '../storage/files.ts';
import { selectRender, updateRender } from './library-store.ts';
import { withPicturesAt } from './render-pictures.ts';

export interface RenderAgainParts {
  db: Database;
  files: Files;
  /** Makes a file at `target`: the renderer's own `render`. */
  render: (request: RenderRequest, target: string) => Promise<RenderedFile>;
}

/** Makes renders anew that were taken off the disk, from what the library knows of them [I176]. */
export class RenderAgain {
  readonly #parts: RenderAgainParts;
  /** Under way, by the name of the file. */
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: RenderAgainParts) {
    this.#parts = parts;
  }

  /** Renders once, however many ask at the same time. Throws `not_found` for a file that is no entry's. */
  make(file: string): Promise<void> {
    return this.#running.get(file) ?? this.#begin(file);
  }

  #begin(file: string): Promise<void> {
    const render = this.#render(file).finally(() => this.#running.delete(file));
    this.#running.set(file, render);
    return render;
  }

  async #render(file: string): Promise<void> {
    const { db, files, render } = this.#parts;
    const request = selectRender(db, file);
    if (!request || request.kind === 'given') throw lost(file);
    await files.holding(async (hold) => {
      if (hold.find(file)) return;
      const target = files.scratchPath();
      const located = withPicturesAt(request, (name) => files.path(name));
      const made = await render(located, target);
      await hold.place(target, file);
      await db.transact((tx) => {
        files.keep(tx, { ...made, name: file, origin: 'render' });
        updateRender(tx, file, made.bytes);
      });
    });
  }
}

function lost(file: string): EmulatorError {
  return new EmulatorError(
    'not_found',
    `The bytes of this file are missing from the data folder (files/${file}), and it is no render that could be made again. Upload it anew.`,
  );
}
