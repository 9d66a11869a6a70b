import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.ts';
import { relatedId } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import { isFinal } from '../../engine/jobs/job.ts';
import { findJob, findSiblingTake } from '../../engine/jobs/job-store.ts';
import { entryIdOf, findEntry, type LibraryEntry } from '../../engine/library/library-store.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-url.ts';
import { findObject } from '../../engine/storage/object-store.ts';
import type { FileRead } from '../../engine/violations.ts';
import type { RenderRequest } from '../../media/render-request.ts';
import { THUMBNAILS } from '../../service/cdn/reading.ts';
import { PAGE } from './content.ts';
import { cutPicture } from './cut-picture.ts';
import type { Occasion } from './violation.ts';
import type { ViolationRegistry } from './violation-registry.ts';

interface FileParts {
  registry: ViolationRegistry;
  database: Reader;
  clock: Pick<Clock, 'now'>;
}

/** A violation may change the bytes, serve bytes instead of an error, or return an error instead of bytes. */
export async function readViolated(parts: FileParts, read: FileRead): Promise<void> {
  const { request, path, query, served } = read;
  await untilRendered(parts, read);
  const isPlain = request.method === 'GET' && !path.startsWith(THUMBNAILS) && !request.headers['if-none-match'];
  try {
    const found = isPlain ? served.find(path, query) : undefined;
    if (found) {
      read.isOf(found.accountId);
      if (isEnded(parts, read, found)) throw ENDED;
      if (await sendsOther(parts, read, found)) return;
    }
    await read.serve();
  } catch (error) {
    const found = error === ENDED ? undefined : servedAnyway(parts, read, error);
    if (!found) throw error;
    read.isOf(found.accountId);
    await read.send(found);
  }
}

async function untilRendered({ registry, database }: FileParts, { path, whenFinal }: FileRead): Promise<void> {
  const address = parseCdnPath(path);
  const job = address?.area === 'library' ? findJob(database, relatedId(address.id, 'job')) : undefined;
  if (!job || isFinal(job.status) || !registry.facing(job.accountId).some(({ name }) => name === '202.as_200')) return;
  await whenFinal(job.id);
}

/** The lifetime of a permanent URL under `store.ends`, in milliseconds. */
const WEEK = 7 * 86_400_000;
const ENDED = new EmulatorError('url_expired', 'This signed URL was valid for 7 days. Poll its job for a new one.');

function isEnded(parts: FileParts, read: FileRead, found: ServedFile): boolean {
  const address = parseCdnPath(read.path);
  const object = address?.area === 'objects' ? findObject(parts.database, address.id) : undefined;
  if (!object || parts.clock.now() - object.created < WEEK) return false;
  return acts(parts, read, 'store.ends', occasionOf(found, read.path));
}

const REFUSALS: Readonly<Record<string, string>> = {
  invalid_signature: 'url.any_signature',
  url_expired: 'url.no_end',
};

function servedAnyway(parts: FileParts, read: FileRead, refusal: unknown): ServedFile | undefined {
  const name = refusal instanceof EmulatorError ? REFUSALS[refusal.code] : undefined;
  const found = name === undefined ? undefined : read.served.findUnsigned(read.path);
  return name && found && acts(parts, read, name, occasionOf(found, read.path)) ? found : undefined;
}

/** Returns whether it has sent other bytes. */
async function sendsOther(parts: FileParts, read: FileRead, found: ServedFile): Promise<boolean> {
  const entry = entryAt(parts.database, read.path);
  const take = entry?.recipe.take as number | undefined;
  const occasion = { ...occasionOf(found, read.path), take, model: entry?.model };
  for (const [name, maker] of Object.entries(MAKERS)) {
    const make = maker({ found, entry, read, database: parts.database });
    if (!make || !acts(parts, read, name, occasion)) continue;
    const { body, ...other } = await make();
    await read.send({ ...found, file: hash('sha256', body, 'hex'), ...other }, body);
    return true;
  }
  return false;
}

interface Content {
  body: Buffer;
  contentType?: string;
  file?: string;
}

interface Served {
  found: ServedFile;
  entry: LibraryEntry | undefined;
  read: FileRead;
  database: Reader;
}

/** Seconds. */
const SHORTEST = { song: 30, clip: 5 };

/** Undefined if the violation cannot act on the file. */
const MAKERS: Readonly<Record<string, (served: Served) => (() => Promise<Content>) | undefined>> = {
  'file.other_take': ({ entry, read, database }) => {
    const other = entry && otherTake(database, entry);
    return other && (async () => ({ body: await read.served.read(other.file), file: other.file }));
  },
  'file.cut': ({ found: { file, bytes }, read }) => {
    if (bytes < 2) return undefined;
    return async () => ({ body: (await read.served.read(file)).subarray(0, Math.ceil(bytes / 2)) });
  },
  'file.page': () => async () => ({ body: Buffer.from(PAGE), contentType: 'text/html' }),
  'file.short': ({ entry, read }) => {
    const request = renderOf(entry);
    if (request?.kind !== 'song' && request?.kind !== 'clip') return undefined;
    const seconds = SHORTEST[request.kind];
    if (request.seconds <= seconds) return undefined;
    return async () => ({ body: await read.served.renderOther({ ...request, seconds }) });
  },
  'file.small': ({ found: { file, contentType }, entry, read }) => {
    if (contentType !== 'image/png' || renderOf(entry)?.kind !== 'image') return undefined;
    return async () => {
      const body = await read.served.read(file);
      return { body: cutPicture(body) ?? body };
    };
  },
};

function renderOf(entry: LibraryEntry | undefined): RenderRequest | undefined {
  return entry && entry.render.kind !== 'given' ? (entry.render as RenderRequest) : undefined;
}

function otherTake(db: Reader, { jobId }: LibraryEntry): LibraryEntry | undefined {
  const job = findJob(db, jobId);
  const other = job?.take === 2 ? findSiblingTake(db, job) : undefined;
  return other && findEntry(db, entryIdOf(other.id));
}

function entryAt(database: Reader, path: string): LibraryEntry | undefined {
  const address = parseCdnPath(path);
  if (address?.area === 'library') return findEntry(database, address.id);
  const id = address?.area === 'objects' ? address.id.replace(/^obj_/, 'lib_') : '';
  return findEntry(database, id);
}

function occasionOf({ accountId, contentType }: ServedFile, path: string): Occasion {
  return { site: `file ${contentType}`, accountId, path, method: 'GET', contentType };
}

/** HEAD and range requests do not count. */
function acts({ registry }: FileParts, { request, response }: FileRead, name: string, occasion: Occasion): boolean {
  const violation = registry.acting(name, occasion);
  if (violation && request.method !== 'HEAD' && request.headers.range === undefined) {
    response.once('finish', () => registry.countAct(violation, occasion));
  }
  return violation !== undefined;
}
