import type { ServerResponse } from 'node:http';
import { requestContextOf } from '../http/request-context.ts';
import type { ServiceRequest } from '../http/service-request.ts';
import type { AuditLog } from '../journal/audit-log.ts';
import { parseCdnPath } from '../storage/cdn-path.ts';

/** Small pictures are drawn for whoever looks at the dashboard: no application asks for them. */
const DRAWN = '/cdn/thumbnails/';

/**
 * Writes a download down once its connection is done with it; the answer is told whose file it is. What is only asked
 * about (HEAD) is none, and what the dashboard shows is no client's.
 */
export function noteRead(
  audit: AuditLog,
  request: ServiceRequest,
  response: ServerResponse,
): (accountId: string) => void {
  let owner: string | null = null;
  const { method } = request;
  const [path = ''] = request.originalUrl.split('?');
  if (method === 'GET' && !path.startsWith(DRAWN) && !requestContextOf(response).isPageRead) {
    response.once('close', () => {
      const { headersSent, statusCode, writableFinished } = response;
      const call = { method, path, status: headersSent ? statusCode : 0, cut: !writableFinished };
      audit.note({ kind: 'read', accountId: owner, call, ref: parseCdnPath(path)?.id ?? null });
    });
  }
  return (accountId) => {
    owner = accountId;
  };
}
