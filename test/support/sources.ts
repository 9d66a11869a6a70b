import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../../src');

export interface Source {
  /** The path below `src`, such as `engine/ledger/ledger.ts`. */
  name: string;
  text: string;
  /** The text without comments. */
  code: string;
  /** The files of `src` that it imports, including types and dynamic imports. */
  imports: string[];
}

/** Every TypeScript file of `src`. */
export const sources: readonly Source[] = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readSource(file.split(path.sep).join('/')));

function readSource(name: string): Source {
  const text = readFileSync(path.join(ROOT, name), 'utf8');
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
  const imports = [...code.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+\.tsx?)'/g)].map(([, to]) =>
    path.posix.join(path.posix.dirname(name), to ?? ''),
  );
  return { name, text, code, imports };
}
