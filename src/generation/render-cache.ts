import type { Transaction } from '../database/transaction.ts';
import type { FinishedFile, NewJob } from '../jobs/job.ts';
import { withPicturesAt } from '../library/render-pictures.ts';
import type { Renderer, RenderRequest } from '../render/render-request.ts';
import type { KeptFile } from '../storage/file-store.ts';
import type { Files } from '../storage/files.ts';

export interface RenderCacheParts {
  files: Files;
  renderer: Renderer;
}

/**
 * What was rendered before is not worth a queue: gives a job that is being ordered its outcome. One whose file has to be
 * made stays as it is.
 */
export function fromRenderCache(parts: RenderCacheParts, tx: Transaction, job: NewJob): NewJob {
  if (job.doomed !== null || job.faults !== null || job.render.kind === 'given') return job;
  const { name } = placed(parts, job.render);
  const file = parts.files.known(tx, name);
  if (!file) return job;
  parts.files.touch(name);
  return { ...job, outcome: finished(file) };
}

/** The request with its pictures where they lie now, and the name of the file that it makes. */
export function placed(
  { files, renderer }: Pick<RenderCacheParts, 'files' | 'renderer'>,
  render: RenderRequest,
): { request: RenderRequest; name: string } {
  const request = withPicturesAt(render, (name) => files.path(name));
  return { request, name: renderer.fingerprint(request) };
}

export function finished({ name, bytes, contentType, seconds }: KeptFile): FinishedFile {
  return { file: name, bytes, contentType, ...(seconds == null ? {} : { seconds }) };
}
