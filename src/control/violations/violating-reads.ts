import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { idBeside } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import { isFinal } from '../../engine/jobs/job.ts';
import { findJob, findSiblingTake } from '../../engine/jobs/job-store.ts';
import type { Jobs } from '../../engine/jobs/jobs.ts';
import { findEntry } from '../../engine/library/entry-store.ts';
import { entryIdOf, type LibraryEntry } from '../../engine/library/library-store.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-path.ts';
import { findObject, type StorageObject } from '../../engine/storage/object-store.ts';
import type { RenderRequest } from '../../media/render-request.ts';
import {
  type FileRead,
  type FileReads,
  type Reading,
  rangeOf,
  THUMBNAILS,
  writeHeaders,
  writeRange,
} from '../../service/cdn/reading.ts';
import type { Answers } from '../../service/http/answers.ts';
import type { Context } from '../../service/http/context.ts';
import { type ServiceRequest, watchGone } from '../../service/http/request.ts';
import { PAGE } from './content.ts';
import { cutPicture } from './cut-picture.ts';
import type { ActiveViolation, Occasion } from './violation.ts';
import { insertViolationMark } from './violation-store.ts';
import type { Violations } from './violations.ts';

export type ReadParts = ReadingParts & { jobs: Jobs; answers: Answers; reads: FileReads };

/** Files as violations serve them: other bytes, or bytes where there should be a refusal. */
export class ViolatingReads implements FileReads {
  readonly #parts: ReadParts;

  constructor(parts: ReadParts) {
    this.#parts = parts;
  }

  /** Looks at the answers to a read, also at its errors. */
  begin(request: ServiceRequest, response: ServerResponse): boolean {
    const { violations, served, answers, reads } = this.#parts;
    if (!violations.isOn) return reads.begin(request, response);
    const accountId = served.ownerOf(request.path) ?? '';
    return answers.begin(request, response, { method: 'GET', path: '/cdn', accountId });
  }

  async read(read: FileRead): Promise<void> {
    const { violations, served, reads } = this.#parts;
    const { reading, request, path, query } = read;
    if (!violations.isOn) return reads.read(read);
    await untilRendered(this.#parts, reading, path);
    try {
      const isPlain = request.method === 'GET' && !path.startsWith(THUMBNAILS) && !request.headers['if-none-match'];
      const found = isPlain ? served.find(path, query) : undefined;
      if (found) reading.isOf(found.accountId);
      if (found) requireUnended(this.#parts, found, path);
      if (found && (await sendViolated(this.#parts, reading, { found, path, request }))) return;
      await reads.read(read);
    } catch (error) {
      if (error instanceof EndedObject) {
        countWhenSent(this.#parts, reading, { violation: error.violation, occasion: error.occasion, request });
        throw error;
      }
      const { found, violation } = servedAnyway(this.#parts, path, error);
      reading.isOf(found.accountId);
      countWhenSent(this.#parts, reading, { violation, occasion: occasionOf(found, path), request });
      await read.send(found);
    }
  }
}

/** Under a violation an object is said to be deleted, and is served as before. */
export function keptBy(violations: Violations) {
  return (tx: Transaction, { id, accountId, contentType }: StorageObject): boolean => {
    if (!violations.isOn) return false;
    const path = `/v1/storage/objects/${id}`;
    const occasion = { site: 'DELETE /v1/storage/objects/{id}', accountId, path, method: 'DELETE', contentType };
    const violation = violations.acting('delete.kept', occasion);
    if (!violation) return false;
    insertViolationMark(tx, {
      accountId,
      violation: violation.violation,
      ref: id,
      detail: 'it was said to be deleted, and is served',
    });
    tx.onCommit(() => violations.countAct(violation, occasion));
    return true;
  };
}

/** The URL of a render was answered before the render was finished: a read of it waits. */
async function untilRendered({ violations, database, jobs }: ReadParts, reading: Reading, path: string): Promise<void> {
  const address = parseCdnPath(path);
  const job = address?.area === 'library' ? findJob(database, idBeside(address.id, 'job')) : undefined;
  if (
    !job ||
    isFinal(job.status) ||
    !violations.facing(job.accountId).some(({ violation }) => violation === '202.as_200')
  )
    return;
  reading.leave();
  await jobs.whenFinal(job.id, watchGone(reading.response).signal);
}

/** The file that a refused URL leads to, where a violation serves it all the same. Throws the refusal otherwise. */
function servedAnyway(
  { violations, served }: ReadingParts,
  path: string,
  refusal: unknown,
): { found: ServedFile; violation: ActiveViolation } {
  const code = refusal instanceof EmulatorError ? refusal.code : undefined;
  const name = REFUSALS[code ?? ''];
  const found = name === undefined ? undefined : served.findUnsigned(path);
  const violation = found && name !== undefined ? violations.acting(name, occasionOf(found, path)) : undefined;
  if (!found || !violation) throw refusal;
  return { found, violation };
}

/** Throws `url_expired` for an object of more than a week ago, where a violation ends what is permanent. */
function requireUnended({ violations, database, clock }: ReadingParts, found: ServedFile, path: string): void {
  const address = parseCdnPath(path);
  const object = address?.area === 'objects' ? findObject(database, address.id) : undefined;
  if (!object || clock.now() - object.created < WEEK) return;
  const occasion = occasionOf(found, path);
  const violation = violations.acting('store.ends', occasion);
  if (violation) throw new EndedObject(violation, occasion);
}

/** How long what is sold as permanent lasts under a violation, in milliseconds. */
const WEEK = 7 * 86_400_000;

/** The violation that serves a file where its URL is refused with a code. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalid_signature: 'url.any_signature',
  url_expired: 'url.no_end',
};

/** The refusal of what a violation has ended. */
class EndedObject extends EmulatorError {
  readonly violation: ActiveViolation;
  readonly occasion: Occasion;

  constructor(violation: ActiveViolation, occasion: Occasion) {
    super('url_expired', 'This signed URL was good for 7 days. Poll its job for a new one.');
    this.violation = violation;
    this.occasion = occasion;
  }
}

type ReadingParts = Pick<Context, 'served' | 'database' | 'clock'> & { violations: Violations };

/** The bytes that are served in place of a file. */
interface Content {
  body: Buffer;
  contentType?: string;
  /** The file whose bytes they are, where there is one. */
  file?: string;
}

/** Makes the content that a violation serves; undefined where it cannot act. */
type Maker = (file: ServedFile, entry: LibraryEntry | undefined) => (() => Promise<Content>) | undefined;
/** The shortest length of a song and of a clip, in seconds. */
const SHORTEST = { song: 30, clip: 5 };

/** Sends other bytes than those of a file, where a violation says so; answers whether it has. */
async function sendViolated(
  parts: ReadingParts,
  reading: Reading,
  { found, path, request }: { found: ServedFile; path: string; request: ServiceRequest },
): Promise<boolean> {
  const entry = entryAt(parts, path);
  const occasion = { ...occasionOf(found, path), take: entry?.recipe.take as number | undefined, model: entry?.model };
  for (const [name, maker] of Object.entries(makers(parts))) {
    const make = maker(found, entry);
    const violation = make && parts.violations.acting(name, occasion);
    if (!violation || !make) continue;
    const content = await make();
    send(reading, { ...found, file: hash('sha256', content.body, 'hex'), ...content }, request);
    countWhenSent(parts, reading, { violation, occasion, request });
    return true;
  }
  return false;
}

function makers({ served, database }: ReadingParts): Record<string, Maker> {
  const render = (entry: LibraryEntry | undefined) =>
    entry && entry.render.kind !== 'given' ? (entry.render as RenderRequest) : undefined;
  return {
    'file.other_take': (_file, entry) => {
      const other = entry && otherTake(database, entry);
      return other && (async () => ({ body: await served.read(other.file), file: other.file }));
    },
    'file.cut': ({ file, bytes }) => {
      if (bytes < 2) return undefined;
      return async () => ({ body: (await served.read(file)).subarray(0, Math.ceil(bytes / 2)) });
    },
    'file.page': () => async () => ({ body: Buffer.from(PAGE), contentType: 'text/html' }),
    'file.short': (_file, entry) => {
      const request = render(entry);
      if (request?.kind !== 'song' && request?.kind !== 'clip') return undefined;
      const seconds = SHORTEST[request.kind];
      if (request.seconds <= seconds) return undefined;
      return async () => ({ body: await served.renderOther({ ...request, seconds }) });
    },
    'file.small': ({ file, contentType }, entry) => {
      if (contentType !== 'image/png' || render(entry)?.kind !== 'image') return undefined;
      return async () => {
        const body = await served.read(file);
        return { body: cutPicture(body) ?? body };
      };
    },
  };
}

/** The first take, where an entry is the second. */
function otherTake(db: Context['database'], { jobId }: LibraryEntry): LibraryEntry | undefined {
  const job = findJob(db, jobId);
  const other = job?.take === 2 ? findSiblingTake(db, job) : undefined;
  return other && findEntry(db, entryIdOf(other.id));
}

function entryAt({ database }: ReadingParts, path: string): LibraryEntry | undefined {
  const address = parseCdnPath(path);
  if (address?.area === 'library') return findEntry(database, address.id);
  const id = address?.area === 'objects' ? address.id.replace(/^obj_/, 'lib_') : '';
  return findEntry(database, id);
}

function occasionOf({ accountId, contentType }: ServedFile, path: string): Occasion {
  return { site: `file ${contentType}`, accountId, path, method: 'GET', contentType };
}

function send(reading: Reading, file: ServedFile & Content, request: ServiceRequest): void {
  const { body } = file;
  const served = { ...file, bytes: body.length };
  const { range, part } = rangeOf(request, served);
  const response = reading.begin();
  writeHeaders(response, served);
  if (range) writeRange(response, range, served.bytes);
  response.setHeader('content-length', part.end - part.start + 1);
  response.end(body.subarray(part.start, part.end + 1));
}

/** A range of a file is no telling. */
function countWhenSent(
  { violations }: ReadingParts,
  { response }: Reading,
  { violation, occasion, request }: { violation: ActiveViolation; occasion: Occasion; request: ServiceRequest },
): void {
  if (request.method === 'HEAD' || request.headers.range !== undefined) return;
  response.once('finish', () => violations.countAct(violation, occasion));
}
