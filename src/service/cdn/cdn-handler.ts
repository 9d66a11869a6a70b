import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { EmulatorError } from '../../base/errors.ts';
import { ALTERNATIVE_CDN_PATH } from '../../engine/faults/compatible-changes.ts';
import type { RequestFaults } from '../../engine/faults/request-faults.ts';
import type { AuditLog } from '../../engine/journal/audit-store.ts';
import type { ServedFile, ServedFiles } from '../../engine/library/served-files.ts';
import { expiredUrlError, parseCdnPath } from '../../engine/storage/cdn-url.ts';
import type { Files } from '../../engine/storage/files.ts';
import { SAMPLE_EVENT_FILES } from '../../engine/webhooks/samples.ts';
import type { RenderRequest } from '../../media/render-request.ts';
import { resetConnection, workUnderFaults } from '../faults/under-faults.ts';
import { writePiece } from '../http/replies.ts';
import { abortOnDisconnect, type HttpRequest } from '../http/request.ts';
import {
  CdnRead,
  type CdnReadParts,
  type FaultsOfRead,
  logCdnReadOnClose,
  sendFaultyFile,
  setFileHeaders,
  THUMBNAIL_PATH_PREFIX,
} from './cdn-read.ts';
import {
  type ByteRange,
  isNotModified,
  parseRequestedRange,
  requirePreconditions,
  setPartialContentHeaders,
} from './conditions.ts';

export type CdnHandler = (request: HttpRequest, response: ServerResponse) => Promise<void>;

interface Parts extends CdnReadParts {
  audit: AuditLog;
}

export function createCdnHandler(parts: Parts): CdnHandler {
  const { barrier, audit, served } = parts;
  const examples = new ExampleFiles();
  return async (request, response) => {
    const stateEpoch = barrier.isClosed ? await barrier.admission() : barrier.stateEpoch;
    const reading = new CdnRead(parts, response, logCdnReadOnClose(audit, request, response));
    reading.enter(stateEpoch);
    const [path = '', query = ''] = split(request.originalUrl);
    try {
      requireRead(request.method);
      const example = await examples.find(served, path);
      if (example) sendExample(reading, request, example);
      else await serve(reading, request, path, query);
    } finally {
      reading.leave();
    }
  };
}

function sendExample(reading: CdnRead, request: HttpRequest, example: ExampleFile): void {
  if (!sendHead(reading, request, example)) sendBytes(reading, request, example, example.content);
}

const READ = { destination: 'cdn', text: '', takeCount: 1, announces: false, streamed: false, directives: {} } as const;

async function serve(reading: CdnRead, request: HttpRequest, path: string, query: string): Promise<void> {
  const { served, rules } = reading;
  const { method } = request;
  const drawn = path.startsWith(THUMBNAIL_PATH_PREFIX) && parseCdnPath(path);
  const found = drawn ? await served.draw(path, query) : served.find(path, query);
  const { accountId } = found;
  reading.isOf(accountId);
  const { response } = reading;
  const holdSubject = { accountId, what: `${method} ${path}` };
  const faulty = {
    path,
    accountId,
    read: path,
    gone: abortOnDisconnect(response).signal,
    response,
    holdSubject,
    target: () => ({ ...READ, path, method, accountId }),
  };
  await workUnderFaults(rules, faulty, async (faults) => {
    if (faults && (await endsBefore(reading, faults, { path, query }))) return;
    const read = faults && { faults, holdSubject };
    await answer(reading, request, { found, find: () => served.find(path, query), read });
  });
}

async function endsBefore(
  { served, response }: CdnRead,
  faults: RequestFaults,
  { path, query }: { path: string; query: string },
): Promise<boolean> {
  if (faults.cdn?.expired) {
    await served.expire(path, query);
    throw expiredUrlError(query);
  }
  if (faults.answer !== 'lost') return false;
  resetConnection(response);
  return true;
}

interface Found {
  found: ServedFile;
  find(): ServedFile;
  read: FaultsOfRead | undefined;
}

async function answer(reading: CdnRead, request: HttpRequest, { found, find, read }: Found): Promise<void> {
  if (sendHead(reading, request, found)) return;
  if (read) await sendFaultyFile(reading, found, request, read);
  else await sendFile(reading, request, (isMade) => (isMade ? find() : found));
}

function sendHead({ response }: CdnRead, request: HttpRequest, found: ServedFile): boolean {
  requirePreconditions(request.headers, found);
  const isKnown = isNotModified(request.headers, found);
  if (!isKnown && request.method !== 'HEAD') return false;
  setFileHeaders(response, found);
  if (isKnown) response.statusCode = 304;
  // A HEAD ignores ranges, and does not make a deleted render again.
  else response.setHeader('content-length', found.bytes);
  response.end();
  return true;
}

function sendBytes(reading: CdnRead, request: HttpRequest, file: ServedFile, body: Buffer): void {
  const ranged = parseRequestedRange(request, file);
  beginFile(reading, file, ranged).end(body.subarray(ranged.part.start, ranged.part.end + 1));
}

async function sendFile(reading: CdnRead, request: HttpRequest, find: (isMade: boolean) => ServedFile): Promise<void> {
  const found = find(false);
  if (await sendBody(reading, found, request)) return;
  await reading.served.again(found.file, () => sendBody(reading, find(true), request));
}

function sendBody(reading: CdnRead, found: ServedFile, request: HttpRequest): Promise<boolean> {
  const ranged = parseRequestedRange(request, found);
  return sendPart({ files: reading.files, file: found.file }, ranged.part, () => beginFile(reading, found, ranged));
}

function beginFile(
  reading: CdnRead,
  found: ServedFile,
  { range, part }: ReturnType<typeof parseRequestedRange>,
): ServerResponse {
  const response = reading.begin();
  setFileHeaders(response, found);
  if (range) setPartialContentHeaders(response, range, found.bytes);
  response.setHeader('content-length', part.end - part.start + 1);
  return response;
}

function split(target: string): [string, string] {
  const url = target.startsWith(ALTERNATIVE_CDN_PATH) ? `/cdn/${target.slice(ALTERNATIVE_CDN_PATH.length)}` : target;
  const mark = url.indexOf('?');
  return mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

function requireRead(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new EmulatorError(
    'method_not_allowed',
    `${method} is not a method of the CDN; use GET or HEAD. An object is deleted with DELETE /v1/storage/objects/{id}.`,
    { headers: { allow: 'GET, HEAD' } },
  );
}

const MAX_SYNC_READ_BYTES = 131_072;
const MAX_SINGLE_READ_BYTES = 1_048_576;
const PIECE = 262_144;

type Begin = () => ServerResponse;

/** Returns false, and sends nothing, if the file is not on the disk. */
async function sendPart(
  { files, file }: { files: Files; file: string },
  part: ByteRange,
  begin: Begin,
): Promise<boolean> {
  const length = part.end - part.start + 1;
  const small = length <= MAX_SYNC_READ_BYTES ? files.readNow(file, part.start, length) : undefined;
  if (small) {
    requireWhole(small.length, length);
    begin().end(small);
    return true;
  }
  const handle = await files.open(file);
  if (!handle) return false;
  try {
    await (length > MAX_SINGLE_READ_BYTES ? stream(handle, part, begin) : readAndSend(handle, part, begin));
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

/** Reuses one buffer, so that a large file takes no more memory than one piece. */
async function stream(handle: FileHandle, { start, end }: ByteRange, begin: Begin): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE);
  const response = begin();
  try {
    for (let at = start; at <= end && !response.destroyed; ) {
      const length = Math.min(PIECE, end - at + 1);
      const { bytesRead } = await handle.read(piece, 0, length, at);
      requireWhole(bytesRead, length);
      await writePiece(response, piece.subarray(0, bytesRead));
      at += bytesRead;
    }
    response.end();
  } catch {
    // Cuts the connection, so that the client notices the error.
    response.destroy();
  }
}

function requireWhole(read: number, length: number): void {
  if (read < length) throw new Error(`a kept file ends ${length - read} bytes too early`);
}

type ExampleName = (typeof SAMPLE_EVENT_FILES)[number];

const RENDERS: Record<ExampleName, { contentType: string; render: RenderRequest }> = {
  'image.png': {
    contentType: 'image/png',
    render: { kind: 'image', model: 'svc-image-one', prompt: 'a lighthouse in the fog', seed: 7 },
  },
  'clip.mp4': {
    contentType: 'video/mp4',
    render: {
      ...{ kind: 'clip', model: 'svc-motion-one', engine: 'svc-motion-one', figures: [], references: [] },
      ...{ prompt: 'a lighthouse in the fog', seed: 7, width: 480, height: 270, seconds: 1, audio: true },
    },
  },
  'take-1.mp3': {
    contentType: 'audio/mpeg',
    render: {
      ...{ kind: 'song', model: 'svc-music-one', title: 'Lighthouse', style: 'folk', seconds: 10, seed: 7 },
      lyrics: '[Verse]\nFog rolls in, and the lamp answers',
    },
  },
};

interface ExampleFile extends ServedFile {
  content: Buffer;
}

/** Automation platforms fetch these files when a user tries a trigger, so they need no account and no signature. */
class ExampleFiles {
  readonly #made = new Map<string, Promise<ExampleFile>>();

  find(served: ServedFiles, path: string): Promise<ExampleFile> | undefined {
    const name = SAMPLE_EVENT_FILES.find((each) => path === `/cdn/sample/${each}`);
    return name && (this.#made.get(name) ?? this.#render(served, name));
  }

  #render(served: ServedFiles, name: ExampleName): Promise<ExampleFile> {
    const made = renderExample(served, name);
    this.#made.set(name, made);
    made.catch(() => this.#made.delete(name));
    return made;
  }
}

async function renderExample(served: ServedFiles, name: ExampleName): Promise<ExampleFile> {
  const { contentType, render } = RENDERS[name];
  const content = await served.renderOther(render);
  const file = hash('sha256', content, 'hex');
  return { file, name, bytes: content.length, contentType, accountId: '', content };
}
