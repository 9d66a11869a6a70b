import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../../base/errors.ts';
import { DROPPED } from '../../engine/faults/apply.ts';
import type { AuditLog } from '../../engine/journal/audit-store.ts';
import type { ServedFile, ServedFiles } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-path.ts';
import type { Context } from '../http/context.ts';
import type { ServiceRequest } from '../http/request.ts';
import { written } from '../http/send-stream.ts';
import { applyToRead, sendFaultyFile } from './faulty-read.ts';
import { type ByteRange, isUnchanged, rangeOf, writeHeaders, writeRange } from './file-headers.ts';
import { EndedObject, isAnsweredDead, requireUnended, servedAnyway, untilRendered } from './lied-availability.ts';
import { noteTold, occasionOf, sendLied } from './lied-file.ts';
import { type CdnParts, noteRead, Reading, THUMBNAILS } from './reading.ts';

/** Answers a request for a file; rejects with the error to answer instead. */
export type CdnAnswer = (request: ServiceRequest, response: ServerResponse) => Promise<void>;

/** Serves the bytes of objects and library entries under `/cdn` [I042]. */
/** `context`: what lies need; without it none acts. */
export function readCdn(parts: CdnParts & { audit: AuditLog }, context?: Context): CdnAnswer {
  const { served, barrier, faults, audit } = parts;
  return async (request, response) => {
    const lying = context?.lies.isOn ? context : undefined;
    if (lying && isAnsweredDead(lying, request, response)) return;
    const epoch = barrier.isClosed ? await barrier.passage() : barrier.epoch;
    const reading = new Reading({ served, barrier, faults }, response, noteRead(audit, request, response));
    reading.enter(epoch);
    try {
      await (lying ? serveLied(lying, reading, request) : serve(reading, request, response));
    } finally {
      reading.leave();
    }
  };
}

/** A read while lies are armed or watched for: other bytes, or bytes where there should be a refusal. */
async function serveLied(context: Context, reading: Reading, request: ServiceRequest): Promise<void> {
  const { served } = context;
  const [path = '', query = ''] = split(request.originalUrl);
  await untilRendered(context, reading, path);
  try {
    const isPlain = request.method === 'GET' && !path.startsWith(THUMBNAILS) && !request.headers['if-none-match'];
    const found = isPlain ? served.find(path, query) : undefined;
    if (found) reading.isOf(found.accountId);
    if (found) requireUnended(context, found, path);
    if (found && (await sendLied(context, reading, { found, path, request }))) return;
    await serve(reading, request, reading.response);
  } catch (error) {
    if (error instanceof EndedObject) {
      noteTold(context, reading, { lie: error.lie, occasion: error.occasion, request });
      throw error;
    }
    const { found, lie } = servedAnyway(context, path, error);
    reading.isOf(found.accountId);
    noteTold(context, reading, { lie, occasion: occasionOf(found, path), request });
    if (!(await sendBody(reading, found, request))) {
      await served.again(found.file, () => sendBody(reading, found, request));
    }
  }
}

async function serve(reading: Reading, request: ServiceRequest, response: ServerResponse): Promise<void> {
  const { served, faults } = reading;
  if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongMethod(request.method);
  const [path = '', query = ''] = split(request.originalUrl);
  const drawn = path.startsWith(THUMBNAILS) && parseCdnPath(path);
  const found = drawn ? await served.draw(path, query) : served.find(path, query);
  reading.isOf(found.accountId);
  const faulty = faults.isArmed ? await applyToRead(reading, request, { found, path, query }) : undefined;
  if (faulty === DROPPED) return;
  if (isUnchanged(request.headers, found)) {
    writeHeaders(response, found);
    response.statusCode = 304;
    response.end();
  } else if (request.method === 'HEAD') {
    writeHeaders(response, found);
    // A range has no meaning here; nor is a render made again for it.
    response.setHeader('content-length', found.bytes);
    response.end();
  } else if (faulty) {
    await sendFaultyFile(reading, found, { ...faulty, request });
  } else if (!(await sendBody(reading, found, request))) {
    await served.again(found.file, () => sendBody(reading, served.find(path, query), request));
  }
}

/** Returns false, and sends nothing, when the file is not on the disk. */
function sendBody(reading: Reading, found: ServedFile, request: ServiceRequest): Promise<boolean> {
  const { range, part } = rangeOf(request, found);
  return sendPart({ served: reading.served, file: found.file }, part, () => {
    const response = reading.begin();
    writeHeaders(response, found);
    if (range) writeRange(response, range, found.bytes);
    response.setHeader('content-length', part.end - part.start + 1);
    return response;
  });
}

/** Under a liberty, URLs have another path, which leads to the same file. */
const OTHER = '/cdn/eu/';

function split(target: string): [string, string] {
  const url = target.startsWith(OTHER) ? `/cdn/${target.slice(OTHER.length)}` : target;
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

function wrongMethod(method: string): EmulatorError {
  return new EmulatorError(
    'method_not_allowed',
    `${method} is not a method of the CDN; use GET or HEAD. An object is deleted with DELETE /v1/storage/objects/{id}.`,
    { headers: { allow: 'GET, HEAD' } },
  );
}

/** What is read without leaving the thread. */
const SMALL = 131_072;
/** What is read in one go; more is streamed in pieces. */
const LARGE = 1_048_576;
const PIECE = 262_144;

/** Writes the headers; called when there are bytes to follow them. */
type Begin = () => ServerResponse;

/** Sends a part of a file. Returns false, and sends nothing, when the file is not on the disk. */
async function sendPart(
  { served, file }: { served: ServedFiles; file: string },
  part: ByteRange,
  begin: Begin,
): Promise<boolean> {
  const length = part.end - part.start + 1;
  const small = length <= SMALL ? served.readNow(file, part.start, length) : undefined;
  if (small) {
    requireWhole(small.length, length);
    begin().end(small);
    return true;
  }
  const handle = await served.open(file);
  if (!handle) return false;
  try {
    await (length > LARGE ? stream(handle, part, begin) : readAndSend(handle, part, begin));
    return true;
  } finally {
    await handle.close();
  }
}

async function readAndSend(handle: FileHandle, { start, end }: ByteRange, begin: Begin): Promise<void> {
  const length = end - start + 1;
  const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, start);
  requireWhole(bytesRead, length);
  begin().end(buffer);
}

/** Each piece is read over the one before it, which has left by then: a large file takes no more memory than one of them. */
async function stream(handle: FileHandle, { start, end }: ByteRange, begin: Begin): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE);
  const response = begin();
  try {
    for (let at = start; at <= end && !response.destroyed; ) {
      const length = Math.min(PIECE, end - at + 1);
      const { bytesRead } = await handle.read(piece, 0, length, at);
      requireWhole(bytesRead, length);
      await written(response, piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    response.end();
  } catch {
    // The headers are sent: the client must see that the body is not whole.
    response.destroy();
  }
}

function requireWhole(read: number, length: number): void {
  if (read < length) throw new Error(`a kept file ends ${length - read} bytes too early`);
}
