import type { RequestLine } from './records.ts';

/** A request as a row, with those that are folded into it. */
export interface FoldedRequest {
  request: RequestLine;
  /** How often the same was asked, one after another. */
  times: number;
  /** How often its jobs were read. */
  polls: number;
}

const JOB = /\bjob_[0-9a-f]{12,40}\b/;

/** Newest first: reads of a job stand with its order, other reads of one path are one row. */
export function foldRequests(rows: readonly RequestLine[]): readonly FoldedRequest[] {
  const ordered = new Map(rows.flatMap(({ id, job_ids }) => job_ids.map((job) => [job, id] as const)));
  const polls = new Map<string, number>();
  const folded: FoldedRequest[] = [];
  for (const request of rows) {
    const order = request.method === 'GET' ? ordered.get(JOB.exec(request.path)?.[0] ?? '') : undefined;
    if (order !== undefined) {
      polls.set(order, (polls.get(order) ?? 0) + 1);
      continue;
    }
    const last = folded.at(-1);
    if (last && isSame(last.request, request)) last.times += 1;
    else folded.push({ request, times: 1, polls: polls.get(request.id) ?? 0 });
  }
  return folded;
}

function isSame(a: RequestLine, b: RequestLine): boolean {
  return (
    a.method === 'GET' &&
    b.method === 'GET' &&
    a.path === b.path &&
    a.account_id === b.account_id &&
    a.status === b.status
  );
}
