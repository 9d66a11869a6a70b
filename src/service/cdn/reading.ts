import type { ServerResponse } from 'node:http';
import type { FaultRules } from '../../engine/faults/fault-rules.ts';
import type { AuditDetail, AuditLog } from '../../engine/journal/audit-store.ts';
import type { ServedFiles } from '../../engine/library/served-files.ts';
import { parseCdnPath } from '../../engine/storage/cdn-path.ts';
import { requestContextOf, type ServiceRequest } from '../http/request.ts';
import { type BarrierHolder, NOT_ADMITTED, type StateBarrier } from '../http/state-barrier.ts';

export interface CdnParts {
  served: ServedFiles;
  faults: FaultRules;
  barrier: StateBarrier;
}

/** One download. It leaves the state barrier as soon as its file is open: a slow reader delays no reset. */
export class Reading implements BarrierHolder {
  readonly served: ServedFiles;
  readonly faults: FaultRules;
  readonly #barrier: StateBarrier;
  readonly response: ServerResponse;
  /** Called with the account whose file it is. */
  readonly isOf: (accountId: string) => void;
  #slot = NOT_ADMITTED;

  constructor({ served, barrier, faults }: CdnParts, response: ServerResponse, isOf: (accountId: string) => void) {
    this.served = served;
    this.faults = faults;
    this.#barrier = barrier;
    this.response = response;
    this.isOf = isOf;
  }

  enter(generation: number): void {
    this.#slot = this.#barrier.enter(this, generation);
  }

  leave(): void {
    this.#barrier.leave(this.#slot);
    this.#slot = NOT_ADMITTED;
  }

  begin(): ServerResponse {
    this.leave();
    return this.response;
  }

  /** A render that is made again for it is cut off where it is made. */
  overtake(): void {}

  cut(): void {
    this.response.destroy();
  }
}

/** Thumbnails, rendered on their first request: for the dashboard, never for an application. */
export const THUMBNAILS = '/cdn/thumbnails/';

/**
 * Records a download when its connection is done with it; answers what to call with the owner of its file. A HEAD is no
 * download, and what the dashboard shows is no client's.
 */
export function noteRead(
  audit: AuditLog,
  request: ServiceRequest,
  response: ServerResponse,
): (accountId: string) => void {
  let owner: string | null = null;
  const { method } = request;
  const [path = ''] = request.originalUrl.split('?');
  if (method === 'GET' && !path.startsWith(THUMBNAILS) && !requestContextOf(response).isPageRead) {
    response.once('close', () => {
      const { headersSent, statusCode, writableFinished } = response;
      const call = { method, path, status: headersSent ? statusCode : 0, cut: !writableFinished };
      const ref = parseCdnPath(path)?.id ?? null;
      audit.note({ kind: 'read', accountId: owner, call, ref, detail: detailOf(response) });
    });
  }
  return (accountId) => {
    owner = accountId;
  };
}

/** Which bytes a whole file has been answered with. */
function detailOf(response: ServerResponse): AuditDetail {
  const [type, bytes, etag] = ['content-type', 'content-length', 'etag'].map((name) => response.getHeader(name));
  if (response.statusCode !== 200 || etag === undefined) return {};
  return { file: { content_type: String(type), bytes: Number(bytes), etag: String(etag) } };
}
