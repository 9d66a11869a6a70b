import type { Express, Request, Response } from 'express';
import { EmulatorError } from '../errors.ts';
import type { FaultRules } from '../faults/fault-rules.ts';
import { type Gate, type Guest, OUTSIDE } from '../http/gate.ts';
import { DROPPED, strikeRequest } from '../http/strike-request.ts';
import type { ServedFile, ServedFiles } from '../library/served-files.ts';
import { parseCdnPath } from '../storage/cdn-path.ts';
import { type ByteRange, readRange } from './byte-range.ts';
import { entityTag, isUnchanged, rangeHeader } from './conditions.ts';
import { sendPart } from './send-part.ts';

/** Uploaded HTML or SVG must not act on this origin, which has a control surface. */
const CONTENT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Where things stand that are made when they are first asked for. */
const DRAWN = '/cdn/thumbnails/';

/** Serves the bytes of objects and library entries under `/cdn` [I042]. Errors go to the app's error handler. */
export function mountCdn(app: Express, { served, gate, faults }: CdnParts): void {
  app.use('/cdn', async (request, response) => {
    const era = gate.isClosed ? await gate.passage() : gate.era;
    const reading = new Reading({ served, gate, faults }, response);
    reading.enter(era);
    try {
      await serve(reading, request, response);
    } finally {
      reading.leave();
    }
  });
}

interface CdnParts {
  served: ServedFiles;
  faults: FaultRules;
  gate: Gate;
}

/** One download. It is done with the state as soon as its file is open: nobody waits for a slow reader. */
class Reading implements Guest {
  readonly served: ServedFiles;
  readonly faults: FaultRules;
  readonly #gate: Gate;
  readonly #response: Response;
  #place = OUTSIDE;

  constructor({ served, gate, faults }: CdnParts, response: Response) {
    this.served = served;
    this.faults = faults;
    this.#gate = gate;
    this.#response = response;
  }

  enter(era: number): void {
    this.#place = this.#gate.enter(this, era);
  }

  leave(): void {
    this.#gate.leave(this.#place);
    this.#place = OUTSIDE;
  }

  begin(): Response {
    this.leave();
    return this.#response;
  }

  /** A render that is made again for it is cut off where it is made. */
  overtake(): void {}

  cut(): void {
    this.#response.destroy();
  }
}

async function serve(reading: Reading, request: Request, response: Response): Promise<void> {
  const { served, faults } = reading;
  if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongMethod(request.method);
  const [path = '', query = ''] = split(request.originalUrl);
  const drawn = path.startsWith(DRAWN) && parseCdnPath(path);
  const found = drawn ? await served.draw(path, query) : served.find(path, query);
  if (faults.isArmed && (await isDropped(faults, { path, found, response }))) return;
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
  } else if (!(await sendBody(reading, found, request))) {
    await served.again(found.file, () => sendBody(reading, served.find(path, query), request));
  }
}

/** Has fault rules strike a read that is good in every other way; answers whether its connection is gone. */
async function isDropped(
  faults: FaultRules,
  read: { path: string; found: ServedFile; response: Response },
): Promise<boolean> {
  const { accountId } = read.found;
  const target = {
    path: read.path,
    accountId,
    text: '',
    announces: false,
    streamed: false,
    directives: {},
  };
  if (!faults.looksAt(target)) return false;
  return (await strikeRequest(faults, target, read.response)) === DROPPED;
}

/** Answers false, and sends nothing, when the file is not on the disk. */
function sendBody(reading: Reading, found: ServedFile, request: Request): Promise<boolean> {
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

function writeHeaders(response: Response, { name, contentType }: ServedFile, tag: string): void {
  response.setHeader('etag', tag);
  response.setHeader('accept-ranges', 'bytes');
  // Kept copies are good only while the address is: objects are deleted, signatures expire.
  response.setHeader('cache-control', 'no-cache');
  response.setHeader('content-type', contentType);
  response.setHeader('content-disposition', `inline; filename="${name}"`);
  response.setHeader('content-security-policy', CONTENT_POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
}

function writeRange(response: Response, { start, end }: ByteRange, size: number): void {
  response.statusCode = 206;
  response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
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
