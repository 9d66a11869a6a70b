import { relatedId } from '../../base/database/id-store.ts';
import type { Reader, Transaction } from '../../base/database/transaction.ts';
import type { JobRender, ReferencePicture, RenderRequest } from '../../media/render-request.ts';
import type { Job, Medium } from '../jobs/job.ts';
import { objectPath, thumbnailPath, weekSigner } from '../storage/cdn-url.ts';
import { extensionOf, type KeptFile } from '../storage/file-store.ts';

/** `created` is in milliseconds. */
export interface LibraryEntry {
  id: string;
  accountId: string;
  medium: Medium;
  model: string;
  jobId: string;
  object: { id: string; name: string } | null;
  /** The name of its file, which `render` makes again if it is not on the disk. */
  file: string;
  bytes: number;
  contentType: string;
  seconds: number | null;
  seed: number | null;
  credits: number;
  /** The effective parameters, as in the job's record. */
  recipe: Record<string, unknown>;
  render: JobRender;
  created: number;
}

export interface LibraryFile {
  id: string;
  accountId: string;
  file: string;
  bytes: number;
  contentType: string;
}

interface NewEntry {
  job: Pick<Job, 'position' | 'id' | 'accountId' | 'medium' | 'model' | 'render'>;
  file: Pick<KeptFile, 'name' | 'bytes' | 'contentType' | 'seconds'>;
  objectId?: string | undefined;
}

/** The entry's id has the digits of the job's id. */
export function entryIdOf(jobId: string): string {
  return relatedId(jobId, 'library');
}

/** Adds a finished render with its recipe and seed [R053 I047]. Returns the id of the entry. */
export function addEntry(tx: Transaction, { job, file, objectId }: NewEntry): string {
  const { accountId, medium, model, render } = job;
  const id = entryIdOf(job.id);
  tx.run(
    `INSERT INTO library (id, account_id, job, medium, model, object_id, file, bytes, content_type, seconds, created)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    accountId,
    job.position,
    medium,
    model,
    objectId ?? null,
    file.name,
    file.bytes,
    file.contentType,
    file.seconds ?? null,
    tx.now,
  );
  for (const picture of picturesOf(render)) insertPicture(tx, picture, id);
  return id;
}

/** A given picture is kept as long as the entry or element that uses it. */
export function insertPicture(tx: Transaction, file: string, owner: string): void {
  tx.run('INSERT OR IGNORE INTO pictures (file, owner) VALUES (?, ?)', file, owner);
}

export function entryName({ id, contentType }: Pick<LibraryFile, 'id' | 'contentType'>): string {
  return `${id}.${extensionOf(contentType)}`;
}

export type Addressed = Pick<LibraryEntry, 'id' | 'contentType' | 'object'>;

/** Permanent if the file was stored, otherwise valid for 7 days from `now` [R232]. */
export function entryUrl(db: Reader, entry: Addressed, now: number): string {
  return fileUrl(entry, weekSigner(db, now));
}

export function fileUrl(entry: Addressed, sign: (path: string) => string): string {
  if (entry.object) return objectPath(entry.object);
  return sign(libraryPath({ id: entry.id, name: entryName(entry) }));
}

export function entryUrls(entry: Addressed, sign: (path: string) => string): { file: string; thumbnail: string } {
  return { file: fileUrl(entry, sign), thumbnail: sign(thumbnailPath(entry.id)) };
}

/** These pictures are kept as long as the render may have to be made again. */
function picturesOf(request: JobRender): string[] {
  const names = allPictures(request).flatMap((picture) => ('sha256' in picture ? [picture.sha256] : []));
  return [...new Set(names)];
}

/** Fills in the current paths of the pictures, because the data folder may have been moved. */
export function withPicturesAt(request: RenderRequest, pathOf: (name: string) => string): RenderRequest {
  if (request.kind !== 'clip') return request;
  const at = (picture: ReferencePicture): ReferencePicture =>
    'sha256' in picture ? { ...picture, path: pathOf(picture.sha256) } : picture;
  return {
    ...request,
    figures: request.figures.map((figure) => ({
      ...figure,
      picture: figure.picture && at(figure.picture),
    })),
    firstFrame: request.firstFrame && at(request.firstFrame),
    lastFrame: request.lastFrame && at(request.lastFrame),
    references: request.references.map(at),
  };
}

function allPictures(request: JobRender): ReferencePicture[] {
  if (request.kind !== 'clip') return [];
  const { figures, firstFrame, lastFrame, references } = request;
  return [...figures.map(({ picture }) => picture), firstFrame, lastFrame, ...references].filter(
    (picture) => picture !== undefined,
  );
}

export function libraryPath({ id, name }: { id: string; name: string }): string {
  return `/cdn/library/${id}/${name}`;
}

export function selectPicture(db: Reader, file: string, owner: string): boolean {
  const kept = db.get('SELECT 1 FROM pictures WHERE file = ? AND owner = ?', file, owner);
  return kept !== undefined;
}

export function deletePicture(tx: Transaction, file: string, owner: string): void {
  tx.run('DELETE FROM pictures WHERE file = ? AND owner = ?', file, owner);
}
