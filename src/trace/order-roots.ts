import type { JournalEntry } from '../journal/journal-record.ts';
import type { TraceTables } from './trace-file.ts';

const JOB = /\bjob_[0-9a-f]{12,40}\b/;

/** The job that a request asked for, where it is a poll. */
export function polledJob({ method, path }: Pick<JournalEntry, 'method' | 'path'>): string | undefined {
  return method === 'GET' ? JOB.exec(path)?.[0] : undefined;
}

/** To which order each id of a trace belongs: the request, run, job or event by which the order is known. */
export function rootsOf(tables: TraceTables): ReadonlyMap<string, string> {
  const roots = new Roots();
  const requests = tables.requests.filter(({ discarded }) => !discarded);
  for (const request of requests) if (!polledJob(request)) roots.ofRequest(request);
  for (const run of tables.runs) roots.ofRun(run);
  for (const { id } of tables.jobs) roots.ofJob(id);
  for (const request of tables.requests) if (request.discarded) roots.ofRequest(request);
  for (const request of requests) roots.follow(request.id, [polledJob(request)], request.id);
  for (const { id, jobId, refundOf } of tables.entries) roots.follow(id, [jobId, refundOf]);
  for (const { id, jobId, runId } of tables.events) roots.follow(id, [jobId, runId], id);
  for (const { id, eventId } of tables.deliveries) roots.follow(id, [eventId], eventId);
  return roots.known;
}

/** The library entry of a job has the same digits. */
export function besideJob(id: string): string {
  return `lib_${id.slice(id.indexOf('_') + 1)}`;
}

class Roots {
  readonly known = new Map<string, string>();

  /** What has an order keeps it. */
  link(id: string | null | undefined, root: string | undefined): void {
    if (id && root !== undefined && !this.known.has(id)) this.known.set(id, root);
  }

  ofRequest({ id, run_id, job_ids, charges }: JournalEntry): void {
    for (const each of [id, run_id, ...job_ids, ...charges]) this.link(each, id);
  }

  ofRun({ run, steps }: TraceTables['runs'][number]): void {
    this.link(run.id, run.id);
    for (const { jobId } of steps) this.follow(jobId, [run.id]);
  }

  ofJob(id: string): void {
    this.link(id, id);
    this.follow(besideJob(id), [id]);
  }

  /** It belongs where the first of these does that belongs anywhere. */
  follow(id: string | null, others: readonly (string | null | undefined)[], fallback?: string): void {
    const root = others.map((other) => this.known.get(other ?? '')).find((found) => found !== undefined);
    this.link(id, root ?? fallback);
  }
}
