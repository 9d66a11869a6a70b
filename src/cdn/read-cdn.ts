import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../errors.ts';
import { DROPPED } from '../faults/apply.ts';
import type { ServiceRequest } from '../http/request-context.ts';
import type { AuditLog } from '../journal/audit-log.ts';
import type { ServedFile } from '../library/served-files.ts';
import { parseCdnPath } from '../storage/cdn-url.ts';
import { applyToRead, sendFaultyFile } from './faulty-read.ts';
import { isUnchanged, rangeOf, writeHeaders, writeRange } from './file-headers.ts';
import { type CdnParts, noteRead, Reading, THUMBNAILS } from './reading.ts';
import { sendPart } from './send-part.ts';

/** Answers a request for a file; rejects with the error to answer instead. */
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

/** Answers false, and sends nothing, when the file is not on the disk. */
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
