import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Request, Response } from 'express';

const ENTRY = '#dashboard/index.html';
const NAME = /^(?:index\.html|(?:assets|docs)\/[\w.-]+)$/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
};

/** The packed forms of a file, smallest first: their extension and content encoding. */
const FORMS: readonly (readonly [string, string | undefined])[] = [
  ['.br', 'br'],
  ['.gz', 'gzip'],
  ['', undefined],
];

/** One file of the page as it was built. */
interface PageFile {
  bytes: Buffer;
  contentType: string;
  etag: string;
  /** As in `Content-Encoding`. */
  encoding: string | undefined;
}

/**
 * Reads a file of the page, `index.html`, `assets/NAME` or `docs/NAME`, in the smallest form that the client accepts.
 * Undefined for one that there is not.
 */
export async function readPageFile(name: string, request: Request): Promise<PageFile | undefined> {
  if (!NAME.test(name)) return undefined;
  const file = path.join(pageFolder(), name);
  for (const [ending, encoding] of FORMS) {
    if (encoding !== undefined && !request.acceptsEncodings(encoding)) continue;
    const bytes = await readFile(file + ending).catch(() => undefined);
    if (!bytes) continue;
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream';
    return { bytes, contentType, etag: `"${hash}"`, encoding };
  }
  return undefined;
}

function pageFolder(): string {
  try {
    return path.dirname(createRequire(import.meta.url).resolve(ENTRY));
  } catch {
    return '';
  }
}

/** Sends a file of the page, or 304 if the client has it: also where it asks past its cache, as `fetch` does. */
export function sendFile(response: Response, { bytes, contentType, etag, encoding }: PageFile): void {
  const isHeld = response.statusCode === 200 && response.req.headers['if-none-match'] === etag;
  response.set({ 'x-content-type-options': 'nosniff', etag });
  // `set` would add a charset to what has none.
  response.setHeader('content-type', contentType);
  if (isHeld) response.status(304);
  else if (encoding) response.set('content-encoding', encoding);
  response.send(bytes);
}
