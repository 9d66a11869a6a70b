import { createRequire } from 'node:module';

/** The path of a shipped fixture such as `font/outlines.bin`, from the sources and from the built bundle alike. */
export function fixturePath(name: string): string {
  return createRequire(import.meta.url).resolve(`#fixtures/${name}`);
}
