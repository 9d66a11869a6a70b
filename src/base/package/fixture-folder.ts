import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this package, found from the sources and from the build alike: the nearest one with a package.json. */
export function packageFolder(): string {
  return nearest(path.dirname(fileURLToPath(import.meta.url)));
}

/** What the emulator says and knows: catalogue, word banks, voices, font. */
export function fixtureFolder(): string {
  return path.join(packageFolder(), 'fixtures');
}

function nearest(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('svc-emulator is in no package: its package.json is missing.');
  return nearest(parent);
}
