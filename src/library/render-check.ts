import { hash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import type { Database } from '../database/database.ts';
import { type EmulatorError, invalid } from '../errors.ts';
import { findEntry } from './library.ts';
import type { RenderAgainParts } from './render-again.ts';
import { withPicturesAt } from './render-pictures.ts';

export interface RenderCheckParts extends RenderAgainParts {
  db: Database;
  /** The bytes of a kept file, made again if they are not on the disk. */
  read: (file: string) => Promise<Buffer>;
}

/** The SHA-256 of what a library entry serves, and of what its recipe makes now. */
export interface RenderCheck {
  kept: string;
  made: string;
  bytes: number;
}

/** Renders the recipe of an entry once more, beside the file it has. Undefined when there is no such entry. */
export async function checkRender(parts: RenderCheckParts, id: string): Promise<RenderCheck | undefined> {
  const { db, files, render, read } = parts;
  const entry = findEntry(db, id);
  if (!entry) return undefined;
  const recipe = entry.render;
  if (recipe.kind === 'given') throw notRendered(id);
  return files.holding(async (hold) => {
    hold.claim(entry.file);
    const kept = await read(entry.file);
    const target = files.scratchPath();
    try {
      await render(
        withPicturesAt(recipe, (name) => files.path(name)),
        target,
      );
      const made = await readFile(target);
      return { kept: sha256(kept), made: sha256(made), bytes: made.length };
    } finally {
      await rm(target, { force: true });
    }
  });
}

function notRendered(id: string): EmulatorError {
  return invalid(null, `${id} was not rendered: a scripted answer gave its file. Choose an entry that has a recipe.`);
}

function sha256(bytes: Buffer): string {
  return hash('sha256', bytes, 'hex');
}
