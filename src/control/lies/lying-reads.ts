import type { ServerResponse } from 'node:http';
import { idBeside } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import { isFinal } from '../../engine/jobs/job.ts';
import { findJob } from '../../engine/jobs/job-store.ts';
import type { Settlement } from '../../engine/jobs/settlement.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-path.ts';
import { findObject, type StorageObject } from '../../engine/storage/object-store.ts';
import type { FileRead, FileReads } from '../../service/cdn/file-reads.ts';
import { type Reading, THUMBNAILS } from '../../service/cdn/reading.ts';
import type { Answers } from '../../service/http/answers.ts';
import { type ServiceRequest, watchGone } from '../../service/http/request.ts';
import type { ActiveLie } from './active-lie.ts';
import type { Occasion } from './lie.ts';
import { type LiedParts, noteTold, occasionOf, sendLied } from './lied-file.ts';
import { insertLied } from './lied-store.ts';
import type { Lies } from './lies.ts';

export type ReadParts = LiedParts & { settlement: Settlement; answers: Answers; reads: FileReads };

/** Files as lies serve them: other bytes, or bytes where there should be a refusal. */
export class LyingReads implements FileReads {
  readonly #parts: ReadParts;

  constructor(parts: ReadParts) {
    this.#parts = parts;
  }

  /** Looks at the answers to a read, also at its errors. */
  begin(request: ServiceRequest, response: ServerResponse): boolean {
    const { lies, served, answers, reads } = this.#parts;
    if (!lies.isOn) return reads.begin(request, response);
    const accountId = served.ownerOf(request.path) ?? '';
    return answers.begin(request, response, { method: 'GET', path: '/cdn', accountId });
  }

  async read(read: FileRead): Promise<void> {
    const { lies, served, reads } = this.#parts;
    const { reading, request, path, query } = read;
    if (!lies.isOn) return reads.read(read);
    await untilRendered(this.#parts, reading, path);
    try {
      const isPlain = request.method === 'GET' && !path.startsWith(THUMBNAILS) && !request.headers['if-none-match'];
      const found = isPlain ? served.find(path, query) : undefined;
      if (found) reading.isOf(found.accountId);
      if (found) requireUnended(this.#parts, found, path);
      if (found && (await sendLied(this.#parts, reading, { found, path, request }))) return;
      await reads.read(read);
    } catch (error) {
      if (error instanceof EndedObject) {
        noteTold(this.#parts, reading, { lie: error.lie, occasion: error.occasion, request });
        throw error;
      }
      const { found, lie } = servedAnyway(this.#parts, path, error);
      reading.isOf(found.accountId);
      noteTold(this.#parts, reading, { lie, occasion: occasionOf(found, path), request });
      await read.send(found);
    }
  }
}

/** Under a lie an object is said to be deleted, and is served as before. */
export function keptBy(lies: Lies) {
  return (tx: Transaction, { id, accountId, contentType }: StorageObject): boolean => {
    if (!lies.isOn) return false;
    const path = `/v1/storage/objects/${id}`;
    const occasion = { site: 'DELETE /v1/storage/objects/{id}', accountId, path, method: 'DELETE', contentType };
    const lie = lies.acting('delete.kept', occasion);
    if (!lie) return false;
    insertLied(tx, { accountId, lie: lie.lie, ref: id, detail: 'it was said to be deleted, and is served' });
    tx.onCommit(() => lies.tell(lie, occasion));
    return true;
  };
}

/** The URL of a render was answered before the render was finished: a read of it waits. */
async function untilRendered({ lies, database, settlement }: ReadParts, reading: Reading, path: string): Promise<void> {
  const address = parseCdnPath(path);
  const job = address?.area === 'library' ? findJob(database, idBeside(address.id, 'job')) : undefined;
  if (!job || isFinal(job.status) || !lies.facing(job.accountId).some(({ lie }) => lie === '202.as_200')) return;
  reading.leave();
  await settlement.whenFinal(job.id, watchGone(reading.response).signal);
}

/** The file that a refused URL leads to, where a lie serves it all the same. Throws the refusal otherwise. */
function servedAnyway(
  { lies, served }: LiedParts,
  path: string,
  refusal: unknown,
): { found: ServedFile; lie: ActiveLie } {
  const code = refusal instanceof EmulatorError ? refusal.code : undefined;
  const name = REFUSALS[code ?? ''];
  const found = name === undefined ? undefined : served.findUnsigned(path);
  const lie = found && name !== undefined ? lies.acting(name, occasionOf(found, path)) : undefined;
  if (!found || !lie) throw refusal;
  return { found, lie };
}

/** Throws `url_expired` for an object of more than a week ago, where a lie ends what is permanent. */
function requireUnended({ lies, database, clock }: LiedParts, found: ServedFile, path: string): void {
  const address = parseCdnPath(path);
  const object = address?.area === 'objects' ? findObject(database, address.id) : undefined;
  if (!object || clock.now() - object.created < WEEK) return;
  const occasion = occasionOf(found, path);
  const lie = lies.acting('store.ends', occasion);
  if (lie) throw new EndedObject(lie, occasion);
}

/** How long what is sold as permanent lasts under a lie, in milliseconds. */
const WEEK = 7 * 86_400_000;

/** The lie that serves a file where its URL is refused with a code. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalid_signature: 'url.any_signature',
  url_expired: 'url.no_end',
};

/** The refusal of what a lie has ended. */
class EndedObject extends EmulatorError {
  readonly lie: ActiveLie;
  readonly occasion: Occasion;

  constructor(lie: ActiveLie, occasion: Occasion) {
    super('url_expired', 'This signed URL was good for 7 days. Poll its job for one that is signed anew.');
    this.lie = lie;
    this.occasion = occasion;
  }
}
