import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../errors.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import { DROPPED } from '../http/strike-request.ts';
import type { AuditLog } from '../journal/audit-log.ts';
import type { ServedFile } from '../library/served-files.ts';
import { parseCdnPath } from '../storage/cdn-path.ts';
import { readRange } from './byte-range.ts';
import { entityTag, isUnchanged, rangeHeader } from './conditions.ts';
import { seal, writeHeaders, writeRange } from './file-headers.ts';
import { noteRead } from './note-read.ts';
import { type CdnParts, Reading } from './reading.ts';
import { sendPart } from './send-part.ts';
import { sendStruck, strikeRead } from './struck-read.ts';

/** Where things stand that are made when they are first asked for. */
const DRAWN = '/cdn/thumbnails/';

/** Before everything that may refuse a request: these stand on every status [I213]. */
export function sealCdn({ path }: ServiceRequest, response: ServerResponse): void {
  if (isCdn(path)) seal(response);
}

export function isCdn(path: string): boolean {
  return path === '/cdn' || path.startsWith('/cdn/');
}

/** Answers a request for a file; rejects with what it is to be answered instead. */
export type CdnAnswer = (request: ServiceRequest, response: ServerResponse) => Promise<void>;

/** Serves the bytes of objects and library entries under `/cdn` [I042]. */
export function readCdn({ served, barrier, faults, audit }: CdnParts & { audit: AuditLog }): CdnAnswer {
  return async (request, response) => {
    const epoch = barrier.isClosed ? await barrier.passage() : barrier.epoch;
    const reading = new Reading({ served, barrier, faults }, response, noteRead(audit, request, response));
    reading.enter(epoch);
    try {
      await serve(reading, request, response);
    } finally {
      reading.leave();
    }
  };
}

async function serve(reading: Reading, request: ServiceRequest, response: ServerResponse): Promise<void> {
  const { served, faults } = reading;
  if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongMethod(request.method);
  const [path = '', query = ''] = split(request.originalUrl);
  const drawn = path.startsWith(DRAWN) && parseCdnPath(path);
  const found = drawn ? await served.draw(path, query) : served.find(path, query);
  reading.isOf(found.accountId);
  const appliedFault = faults.isArmed ? await strikeRead(reading, { path, query, found, request }) : undefined;
  if (appliedFault === DROPPED) return;
  const tag = entityTag(found.file);
  if (isUnchanged(request.headers, tag)) {
    writeHeaders(response, found, tag);
    response.statusCode = 304;
    response.end();
  } else if (request.method === 'HEAD') {
    writeHeaders(response, found, tag);
    // A range has no meaning here; nor is a render made again for it.
    response.setHeader('content-length', found.bytes);
    response.end();
  } else if (appliedFault) {
    await sendStruck(reading, found, { request, appliedFault });
  } else if (!(await sendBody(reading, found, request))) {
    await served.again(found.file, () => sendBody(reading, served.find(path, query), request));
  }
}

/** Answers false, and sends nothing, when the file is not on the disk. */
function sendBody(reading: Reading, found: ServedFile, request: ServiceRequest): Promise<boolean> {
  const tag = entityTag(found.file);
  const range = readRange(rangeHeader(request.headers, tag), found.bytes);
  const part = range ?? { start: 0, end: found.bytes - 1 };
  return sendPart({ served: reading.served, file: found.file }, part, () => {
    const response = reading.begin();
    writeHeaders(response, found, tag);
    if (range) writeRange(response, range, found.bytes);
    response.setHeader('content-length', part.end - part.start + 1);
    return response;
  });
}

function split(url: string): [string, string] {
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
