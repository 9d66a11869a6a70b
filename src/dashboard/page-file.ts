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
 * Reads a file of the page, `index.html`, `assets/NAME` or `docs/NAME`, in the smallest form that `accepted` (the
 * header `Accept-Encoding`) allows. Undefined for one that there is not.
 */
export async function readPageFile(name: string, accepted = ''): Promise<PageFile | undefined> {
  if (!NAME.test(name)) return undefined;
  const file = path.join(pageFolder(), name);
  for (const [ending, encoding] of FORMS) {
    if (encoding !== undefined && !allows(accepted, encoding)) continue;
    const bytes = await readFile(file + ending).catch(() => undefined);
    if (!bytes) continue;
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
    const contentType = TYPES[path.extname(name)] ?? 'application/octet-stream';
    return { bytes, contentType, etag: `"${hash}"`, encoding };
  }
  return undefined;
}

function allows(accepted: string, encoding: string): boolean {
  return accepted.split(',').some((each) => {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
  });
}

function pageFolder(): string {
  try {
    return path.dirname(createRequire(import.meta.url).resolve(ENTRY));
  } catch {
    return '';
  }
}

/** The encodings that the client accepts. */
export function encodings(request: Request): string | undefined {
  const { 'accept-encoding': accepted } = request.headers;
  return typeof accepted === 'string' ? accepted : undefined;
}

/** Sends a file of the page, or 304 if the client has it. */
export function sendFile(request: Request, response: Response, file: PageFile): void {
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('etag', file.etag);
  if (response.statusCode === 200 && request.headers['if-none-match'] === file.etag) {
    response.statusCode = 304;
    response.end();
    return;
  }
  response.setHeader('content-type', file.contentType);
  response.setHeader('content-length', file.bytes.length);
  if (file.encoding) response.setHeader('content-encoding', file.encoding);
  response.end(request.method === 'HEAD' ? undefined : file.bytes);
}
