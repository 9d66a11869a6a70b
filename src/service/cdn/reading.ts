import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { EmulatorError, quoted } from '../../base/errors.ts';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { AuditDetail, AuditLog } from '../../engine/journal/audit-store.ts';
import type { ServedFile, ServedFiles } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-url.ts';
import type { Files } from '../../engine/storage/files.ts';
import { requestContextOf, type ServiceRequest } from '../http/request.ts';
import { type BarrierHolder, NOT_ADMITTED, type StateBarrier } from '../http/state-barrier.ts';

export interface CdnParts {
  served: ServedFiles;
  files: Files;
  faults: FaultRules;
  barrier: StateBarrier;
}

/** One download. It leaves the state barrier as soon as its file is open: a slow reader delays no reset. */
export class Reading implements BarrierHolder {
  readonly served: ServedFiles;
  readonly files: Files;
  readonly faults: FaultRules;
  readonly #barrier: StateBarrier;
  readonly response: ServerResponse;
  readonly isOf: (accountId: string) => void;
  #slot = NOT_ADMITTED;

  constructor(parts: CdnParts, response: ServerResponse, isOf: (accountId: string) => void) {
    const { served, files, faults, barrier } = parts;
    this.served = served;
    this.files = files;
    this.faults = faults;
    this.#barrier = barrier;
    this.response = response;
    this.isOf = isOf;
  }

  enter(generation: number): void {
    this.#slot = this.#barrier.enter(this, generation);
  }

  leave(): void {
    this.#barrier.leave(this.#slot);
    this.#slot = NOT_ADMITTED;
  }

  begin(): ServerResponse {
    this.leave();
    return this.response;
  }

  /** A render that is made again for it is cut off where it is made. */
  overtake(): void {}

  cut(): void {
    this.response.destroy();
  }
}

/** Thumbnails, rendered on their first request: for the dashboard, never for an application. */
export const THUMBNAILS = '/cdn/thumbnails/';

/**
 * Records a download when its connection is done with it; answers what to call with the owner of its file. A HEAD is no
 * download, and what the dashboard shows is no client's.
 */
export function noteRead(
  audit: AuditLog,
  request: ServiceRequest,
  response: ServerResponse,
): (accountId: string) => void {
  let owner: string | null = null;
  const { method } = request;
  const [path = ''] = request.originalUrl.split('?');
  if (method === 'GET' && !path.startsWith(THUMBNAILS) && !requestContextOf(response).isPageRead) {
    response.once('close', () => {
      const { headersSent, statusCode, writableFinished } = response;
      const call = { method, path, status: headersSent ? statusCode : 0, cut: !writableFinished };
      const ref = parseCdnPath(path)?.id ?? null;
      audit.note({ kind: 'read', accountId: owner, call, ref, detail: detailOf(response) });
    });
  }
  return (accountId) => {
    owner = accountId;
  };
}

function detailOf(response: ServerResponse): AuditDetail {
  const [type, bytes, etag] = ['content-type', 'content-length', 'etag'].map((name) => response.getHeader(name));
  if (response.statusCode !== 200 || etag === undefined) return {};
  return { file: { content_type: String(type), bytes: Number(bytes), etag: String(etag) } };
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
