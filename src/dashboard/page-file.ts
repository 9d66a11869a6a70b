import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

const ENTRY = '#dashboard/index.html';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json',
};

/** One file of the page as it was built. */
export interface PageFile {
  bytes: Buffer;
  contentType: string;
  etag: string;
}

/** Reads a file of the page, `index.html` or `assets/NAME`. Undefined for one that there is not. */
export async function readPageFile(name: string): Promise<PageFile | undefined> {
  if (!/^(?:index\.html|assets\/[\w.-]+)$/.test(name)) return undefined;
  const bytes = await readFile(path.join(pageFolder(), name)).catch(() => undefined);
  if (!bytes) return undefined;
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream';
  return { bytes, contentType, etag: `"${hash}"` };
}

function pageFolder(): string {
  try {
    return path.dirname(createRequire(import.meta.url).resolve(ENTRY));
  } catch {
    return '';
  }
}
