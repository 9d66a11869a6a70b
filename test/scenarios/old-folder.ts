import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { emptyFolder } from '../cli/spawned-program.ts';
import { entriesOf } from '../engine/snapshots/archive-entries.ts';

export const WORLD = path.join(import.meta.dirname, 'world-0.1.0');

export function oldFile(name: string): Buffer {
  return readFileSync(path.join(WORLD, name));
}

/** The data folder that 0.1.0 left, in a folder of its own. */
export function oldFolder(): string {
  const folder = emptyFolder();
  for (const [name, bytes] of entriesOf(gunzipSync(oldFile('data.tar.gz')))) {
    if (name.endsWith('/')) mkdirSync(path.join(folder, name), { recursive: true });
    else writeFileSync(path.join(folder, name), bytes);
  }
  return folder;
}
