import { readFile, rm } from 'node:fs/promises';
import type { Database } from '../../base/database/database.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { RenderedFile, RenderRequest } from '../../media/render-request.ts';
import type { Files } from '../storage/files.ts';
import { selectRender, updateRender, withPicturesAt } from './library-store.ts';

export interface RenderAgainParts {
  db: Database;
  files: Files;
  render: (request: RenderRequest, target: string) => Promise<RenderedFile>;
}

/** Makes deleted renders again, from their recipes in the library [I176]. */
export class RenderAgain {
  readonly #parts: RenderAgainParts;
  readonly #running = new Map<string, Promise<void>>();

  constructor(parts: RenderAgainParts) {
    this.#parts = parts;
  }

  /** Concurrent calls for one file render once. Throws `not_found` if no entry has the file. */
  make(file: string): Promise<void> {
    return this.#running.get(file) ?? this.#begin(file);
  }

  /** The result is not stored. */
  async makeOther(request: RenderRequest): Promise<Buffer> {
    const { files, render } = this.#parts;
    const target = files.scratchPath();
    try {
      await render(
        withPicturesAt(request, (name) => files.path(name)),
        target,
      );
      return await readFile(target);
    } finally {
      await rm(target, { force: true });
    }
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
    await files.withPins(async (pins) => {
      if (pins.find(file)) return;
      const target = files.scratchPath();
      const located = withPicturesAt(request, (name) => files.path(name));
      const made = await render(located, target);
      await pins.place(target, file);
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
    `The bytes of this file are missing from the data folder (files/${file}), and it is not a render, so it cannot be made again. Upload it again.`,
  );
}
