import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import type { ServiceRequest } from '../http/request.ts';

/** A file that a URL of the CDN leads to. */
export interface FoundFile {
  found: ServedFile;
  path: string;
  query: string;
}

/** First and last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Uploaded HTML or SVG must not act on this origin, which has a control surface. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function writeHeaders(response: ServerResponse, file: ServedFile): void {
  response.setHeader('etag', entityTag(file));
  response.setHeader('accept-ranges', 'bytes');
  // A cached copy is good only while the URL is: objects are deleted, signatures expire.
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('content-type', file.contentType);
  response.setHeader('content-disposition', `inline; filename="${file.name}"`);
  seal(response);
}

export function writeRange(response: ServerResponse, { start, end }: ByteRange, size: number): void {
  response.statusCode = 206;
  response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
}

/** Every status of the CDN has these two, so this is called before everything that may refuse a request [I213]. */
export function seal(response: ServerResponse): void {
  response.setHeader('content-security-policy', CONTENT_POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
}

/** Whether the client has these very bytes already (If-None-Match). */
export function isUnchanged(headers: IncomingHttpHeaders, file: ServedFile): boolean {
  const known = headers['if-none-match'];
  if (known === undefined) return false;
  const tag = entityTag(file);
  return known.split(',').some((one) => {
    const trimmed = one.trim();
    return trimmed === '*' || trimmed.replace(/^W\//, '') === tag;
  });
}

/** The range that a request asks for, undefined for the whole file, and the bytes to send. */
export function rangeOf({ headers }: ServiceRequest, file: ServedFile): { range?: ByteRange; part: ByteRange } {
  const condition = headers['if-range'];
  // If-Range may name other bytes than these.
  const header = condition === undefined || condition === entityTag(file) ? headers.range : undefined;
  const range = readRange(header, file.bytes);
  return range ? { range, part: range } : { part: { start: 0, end: file.bytes - 1 } };
}

/** A file's name changes when its bytes do, so it is a strong validator. */
function entityTag({ file }: ServedFile): string {
  return `"${file}"`;
}

const SINGLE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part of `size` bytes that a Range header asks for; undefined where the whole is to be sent: without the header,
 * for several ranges, and for what is no range of bytes. Throws `range_not_satisfiable` beyond the end [I166].
 */
export function readRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = SINGLE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  const range = first === '' ? suffix(Number(last), size) : interval(Number(first), last, size);
  if (range && range.start >= size) throw beyond(header, size);
  return range;
}

function suffix(length: number, size: number): ByteRange | undefined {
  if (size === 0 && length > 0) return undefined;
  return { start: length === 0 ? size : Math.max(0, size - length), end: size - 1 };
}

function interval(start: number, last: string, size: number): ByteRange | undefined {
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return { start, end };
}

function beyond(header: string | undefined, size: number): EmulatorError {
  return new EmulatorError(
    'range_not_satisfiable',
    `The file has ${size} bytes, and none of them is in the range ${quoted(header ?? '')}. Ask for bytes from 0 to ${Math.max(0, size - 1)}, or send no Range header.`,
    { headers: { 'content-range': `bytes */${size}` } },
  );
}
