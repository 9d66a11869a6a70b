import type { ServerResponse } from 'node:http';
import type { ServedFile } from '../library/served-files.ts';
import type { ByteRange } from './byte-range.ts';

/** Uploaded HTML or SVG must not act on this origin, which has a control surface. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function writeHeaders(response: ServerResponse, { name, contentType }: ServedFile, tag: string): void {
  response.setHeader('etag', tag);
  response.setHeader('accept-ranges', 'bytes');
  // Kept copies are good only while the address is: objects are deleted, signatures expire.
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('content-type', contentType);
  response.setHeader('content-disposition', `inline; filename="${name}"`);
  seal(response);
}

export function writeRange(response: ServerResponse, { start, end }: ByteRange, size: number): void {
  response.statusCode = 206;
  response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
}

/** These two stand on every status of the CDN [I213]. */
export function seal(response: ServerResponse): void {
  response.setHeader('content-security-policy', CONTENT_POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
}
