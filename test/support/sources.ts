import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../src');

export interface Source {
  /** From `src`, as in `engine/ledger/ledger.ts`. */
  name: string;
  text: string;
  /** The text without comments. */
  code: string;
  /** What it imports of `src`, types and dynamic imports included. */
  imports: string[];
  /** What it imports when it is loaded, without types. */
  values: string[];
  /** What it imports once it is needed. */
  lazy: string[];
}

/** Every file of `src` in TypeScript. */
export const sources: readonly Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readSource(file.split(path.sep).join('/')));

/** The files that are loaded with one, itself among them, sorted. */
export function loadedWith(entry: string): string[] {
  const values = new Map(sources.map((source) => [source.name, source.values]));
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const to of values.get(name) ?? []) load(to);
  };
  load(entry);
  return [...loaded].toSorted();
}

function readSource(name: string): Source {
  const text = readFileSync(path.join(ROOT, name), 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  const named = (pattern: RegExp) =>
    [...code.matchAll(pattern)].map(([, to]) => path.posix.join(path.posix.dirname(name), to ?? ''));
  return {
    ...{ name, text, code },
    imports: named(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g),
    values: named(/^(?:import|export) (?!type\b)(?:[^;]*? from )?'(\.[^']+\.tsx?)'/gm),
    lazy: named(/\bimport\(\s*'(\.[^']+\.tsx?)'/g),
  };
}
