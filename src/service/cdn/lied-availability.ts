import type { ServerResponse } from 'node:http';
import { idBeside } from '../../base/database/id-store.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { ActiveLie } from '../../engine/faults/lies/active-lie.ts';
import type { Occasion } from '../../engine/faults/lies/lie.ts';
import { isFinal } from '../../engine/jobs/job.ts';
import { findJob } from '../../engine/jobs/job-store.ts';
import type { ServedFile } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-path.ts';
import { findObject } from '../../engine/storage/object-store.ts';
import type { Context } from '../http/context.ts';
import { LyingAnswer } from '../http/lying-answer.ts';
import { requestContextOf, type ServiceRequest, watchGone } from '../http/request.ts';
import { type LiedParts, occasionOf } from './lied-file.ts';
import type { Reading } from './reading.ts';

/** Looks at the answers to a read, also at its errors. Where the service is to be dead, answers so. */
export function isAnsweredDead(context: Context, request: ServiceRequest, response: ServerResponse): boolean {
  const { lies, served } = context;
  if (lies.isDead) response.writeHead(500, { 'content-length': '0' }).end();
  else {
    const accountId = served.ownerOf(request.path) ?? '';
    const lying = new LyingAnswer(context, { method: 'GET', path: '/cdn', accountId }, request, response);
    requestContextOf(response).lying = lying;
  }
  return lies.isDead;
}

/** The URL of a render that is not finished was told as if it were: a read of it waits for the render. */
export async function untilRendered(
  { lies, database, settlement }: Context,
  reading: Reading,
  path: string,
): Promise<void> {
  const address = parseCdnPath(path);
  const job = address?.area === 'library' ? findJob(database, idBeside(address.id, 'job')) : undefined;
  if (!job || isFinal(job.status) || !lies.facing(job.accountId).some(({ lie }) => lie === '202.as_200')) return;
  reading.leave();
  await settlement.whenFinal(job.id, watchGone(reading.response).signal);
}

/** The file that a refused URL leads to, where a lie serves it all the same. Throws the refusal otherwise. */
export function servedAnyway(
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
export function requireUnended({ lies, database, clock }: LiedParts, found: ServedFile, path: string): void {
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
export class EndedObject extends EmulatorError {
  readonly lie: ActiveLie;
  readonly occasion: Occasion;

  constructor(lie: ActiveLie, occasion: Occasion) {
    super('url_expired', 'This signed URL was good for 7 days. Poll its job for one that is signed anew.');
    this.lie = lie;
    this.occasion = occasion;
  }
}
