import { hash } from 'node:crypto';
import { findJob, findSiblingTake } from '../../engine/jobs/job-store.ts';
import { entryIdOf, findEntry, type LibraryEntry } from '../../engine/library/library-store.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-path.ts';
import type { RenderRequest } from '../../media/render-request.ts';
import { rangeOf, writeHeaders, writeRange } from '../../service/cdn/file-headers.ts';
import type { Reading } from '../../service/cdn/reading.ts';
import type { Context } from '../../service/http/context.ts';
import type { ServiceRequest } from '../../service/http/request.ts';
import type { ActiveLie } from './active-lie.ts';
import { PAGE } from './content.ts';
import type { Occasion } from './lie.ts';
import type { Lies } from './lies.ts';
import { quarterPicture } from './quarter-picture.ts';

export type LiedParts = Pick<Context, 'served' | 'database' | 'clock'> & { lies: Lies };

/** The bytes that are served in place of a file. */
interface Content {
  body: Buffer;
  contentType?: string;
  /** The file whose bytes they are, where there is one. */
  file?: string;
}

/** Makes the content that a lie serves; undefined where it cannot act. */
type Maker = (file: ServedFile, entry: LibraryEntry | undefined) => (() => Promise<Content>) | undefined;
/** The shortest length of a song and of a clip, in seconds. */
const SHORTEST = { song: 30, clip: 5 };

/** Sends other bytes than those of a file, where a lie says so; answers whether it has. */
export async function sendLied(
  parts: LiedParts,
  reading: Reading,
  { found, path, request }: { found: ServedFile; path: string; request: ServiceRequest },
): Promise<boolean> {
  const entry = entryAt(parts, path);
  const occasion = { ...occasionOf(found, path), take: entry?.recipe.take as number | undefined, model: entry?.model };
  for (const [name, maker] of Object.entries(makers(parts))) {
    const make = maker(found, entry);
    const lie = make && parts.lies.acting(name, occasion);
    if (!lie || !make) continue;
    const content = await make();
    send(reading, { ...found, file: hash('sha256', content.body, 'hex'), ...content }, request);
    noteTold(parts, reading, { lie, occasion, request });
    return true;
  }
  return false;
}

function makers({ served, database }: LiedParts): Record<string, Maker> {
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
        return { body: quarterPicture(body) ?? body };
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

function entryAt({ database }: LiedParts, path: string): LibraryEntry | undefined {
  const address = parseCdnPath(path);
  if (address?.area === 'library') return findEntry(database, address.id);
  const id = address?.area === 'objects' ? address.id.replace(/^obj_/, 'lib_') : '';
  return findEntry(database, id);
}

export function occasionOf({ accountId, contentType }: ServedFile, path: string): Occasion {
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
export function noteTold(
  { lies }: LiedParts,
  { response }: Reading,
  { lie, occasion, request }: { lie: ActiveLie; occasion: Occasion; request: ServiceRequest },
): void {
  if (request.method === 'HEAD' || request.headers.range !== undefined) return;
  response.once('finish', () => lies.tell(lie, occasion));
}
