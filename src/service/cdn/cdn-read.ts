import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { HoldSubject } from '../../engine/faults/holds.ts';
import type { CdnFault, RequestFaults } from '../../engine/faults/request-faults.ts';
import type { AuditDetail, AuditLog } from '../../engine/journal/audit-store.ts';
import type { ServedFile, ServedFiles } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-url.ts';
import type { Files } from '../../engine/storage/files.ts';
import { writePiece } from '../http/replies.ts';
import { abortOnDisconnect, type HttpRequest, requestContextOf } from '../http/request.ts';
import { type AdmittedRequest, NOT_ADMITTED, type StateBarrier } from '../http/state-barrier.ts';
import {
  type ByteRange,
  entityTag,
  lastModified,
  parseRequestedRange,
  setPartialContentHeaders,
} from './conditions.ts';

export interface CdnReadParts {
  served: ServedFiles;
  files: Files;
  rules: FaultRules;
  barrier: StateBarrier;
}

/** Leaves the state barrier before the file is sent, so that a slow reader does not delay a reset. */
export class CdnRead implements AdmittedRequest {
  readonly served: ServedFiles;
  readonly files: Files;
  readonly rules: FaultRules;
  readonly #barrier: StateBarrier;
  readonly response: ServerResponse;
  readonly isOf: (accountId: string) => void;
  #slot = NOT_ADMITTED;

  constructor(parts: CdnReadParts, response: ServerResponse, isOf: (accountId: string) => void) {
    const { served, files, rules, barrier } = parts;
    this.served = served;
    this.files = files;
    this.rules = rules;
    this.#barrier = barrier;
    this.response = response;
    this.isOf = isOf;
  }

  enter(stateEpoch: number): void {
    this.#slot = this.#barrier.enter(this, stateEpoch);
  }

  leave(): void {
    this.#barrier.leave(this.#slot);
    this.#slot = NOT_ADMITTED;
  }

  begin(): ServerResponse {
    this.leave();
    return this.response;
  }

  /** Does nothing when the state is replaced: if a missing file is being rendered, the renderer is interrupted. */
  overtake(): void {}

  cut(): void {
    this.response.destroy();
  }
}

export const THUMBNAIL_PATH_PREFIX = '/cdn/thumbnails/';

/**
 * Records each GET when its response closes, except reads of thumbnails and reads by a page of the dashboard or the
 * docs. Returns a function that sets the account of the record.
 */
export function logCdnReadOnClose(
  audit: AuditLog,
  request: HttpRequest,
  response: ServerResponse,
): (accountId: string) => void {
  let owner: string | null = null;
  const { method } = request;
  const [path = ''] = request.originalUrl.split('?');
  if (method === 'GET' && !path.startsWith(THUMBNAIL_PATH_PREFIX) && !requestContextOf(response).isOwnPageRead) {
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

/** Prevents uploaded HTML or SVG from acting on this origin, which has control operations. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

export function setFileHeaders(response: ServerResponse, file: ServedFile): void {
  const modified = lastModified(file);
  response.setHeader('etag', entityTag(file));
  if (modified !== undefined) response.setHeader('last-modified', new Date(modified).toUTCString());
  response.setHeader('accept-ranges', 'bytes');
  // Makes caches ask again at each use, because objects are deleted and signatures expire.
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('content-type', file.contentType);
  response.setHeader('content-disposition', `inline; filename="${file.name}"`);
  setSecurityHeaders(response);
}

/** Every response of the CDN has these headers, even an error [I213]. */
export function setSecurityHeaders(response: ServerResponse): void {
  response.setHeader('content-security-policy', CONTENT_POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
}

export interface FaultsOfRead {
  faults: RequestFaults;
  holdSubject: HoldSubject;
}

export async function sendFaultyFile(
  reading: CdnRead,
  found: ServedFile,
  request: HttpRequest,
  { faults, holdSubject }: FaultsOfRead,
): Promise<void> {
  const { served, files, rules } = reading;
  const handle = await files.open(found.file);
  if (!handle) return served.again(found.file, () => sendFaultyFile(reading, found, request, { faults, holdSubject }));
  const { cdn: fault = {}, hold } = faults;
  const { signal: gone } = abortOnDisconnect(reading.response);
  try {
    const { range, part } = parseRequestedRange(request, found);
    const response = reading.begin();
    setFileHeaders(response, fault.content_type === undefined ? found : { ...found, contentType: fault.content_type });
    if (range) setPartialContentHeaders(response, range, found.bytes);
    response.setHeader('content-length', fault.wrong_length ?? part.end - part.start + 1);
    const pause = (milliseconds: number) => rules.waits.delay(milliseconds, gone);
    const halfway = hold === undefined ? undefined : () => released(reading, { holdSubject, gone, hold });
    await sendFaultyBytes(handle, response, { fault, part, size: found.bytes, pause, halfway });
  } finally {
    await handle.close();
  }
}

/**
 * Holds the rest of the file. Returns whether to send it: a hold that is released with an effect cuts the connection.
 */
async function released(
  { rules, response }: CdnRead,
  { holdSubject, gone, hold }: { holdSubject: HoldSubject; gone: AbortSignal; hold: string },
): Promise<boolean> {
  const { effect } = await rules.holds.hold(hold, holdSubject, gone);
  if (effect) response.destroy();
  return !response.destroyed;
}

const PIECE = 65_536;
const STEPS = 10;
const SECOND = 1000;

interface Corruption {
  fault: CdnFault;
  part: ByteRange;
  size: number;
  pause(milliseconds: number): Promise<void>;
  halfway?: (() => Promise<boolean>) | undefined;
}

/** Closes the connection if the body was cut or differs in length from its header [I237]. */
async function sendFaultyBytes(handle: FileHandle, response: ServerResponse, corruption: Corruption): Promise<void> {
  const { fault, part, halfway } = corruption;
  const length = part.end - part.start + 1;
  const sent = Math.min(length, fault.truncate_at ?? length);
  const half = halfway ? Math.floor(sent / 2) : 0;
  if (half > 0) await sendCorrupted(handle, response, { ...corruption, part: upTo(part, 0, half) });
  if (halfway && !(await halfway())) return;
  await sendCorrupted(handle, response, { ...corruption, part: upTo(part, half, sent) });
  if (sent < length || fault.wrong_length !== undefined) response.destroy();
  else response.end();
}

function upTo({ start }: ByteRange, from: number, to: number): ByteRange {
  return { start: start + from, end: start + to - 1 };
}

async function sendCorrupted(handle: FileHandle, response: ServerResponse, corruption: Corruption): Promise<void> {
  const { fault, part, size, pause } = corruption;
  const rate = fault.bytes_per_second;
  const step = rate === undefined ? PIECE : Math.min(PIECE, Math.max(1, Math.ceil(rate / STEPS)));
  const flipped = flippedOf(fault, size);
  response.flushHeaders();
  for (let at = part.start; at <= part.end && !response.destroyed; at += step) {
    const length = Math.min(step, part.end - at + 1);
    const { buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, at);
    flip(buffer, at, flipped);
    await writePiece(response, buffer);
    if (rate !== undefined) await pause((SECOND * length) / rate);
  }
}

/** The distance between two wrong bytes of the file, whichever range is requested; 0 if no byte is wrong. */
function flippedOf({ flip_bytes: count = 0 }: CdnFault, size: number): number {
  return count === 0 ? 0 : Math.max(1, Math.floor(size / count));
}

/**
 * Inverts each `every`-th byte, beginning half that distance into the file, because its first bytes identify its type.
 */
function flip(bytes: Buffer, at: number, every: number): void {
  if (every === 0) return;
  const first = Math.floor(every / 2);
  const begin = Math.max(0, Math.ceil((at - first) / every)) * every + first;
  for (let position = begin; position < at + bytes.length; position += every) {
    bytes[position - at] = (bytes[position - at] ?? 0) ^ 0xff;
  }
}
