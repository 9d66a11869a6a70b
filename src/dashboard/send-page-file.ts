import type { Request, Response } from 'express';
import type { PageFile } from './page-file.ts';

/** What the one who asks can unpack. */
export function encodings(request: Request): string | undefined {
  const { 'accept-encoding': accepted } = request.headers;
  return typeof accepted === 'string' ? accepted : undefined;
}

/** Sends a file of the page, or 304 to who has it. */
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
