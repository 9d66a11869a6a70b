import type { Clock } from '../../base/clock/clock.ts';
import type { Reader } from '../../base/database/transaction.ts';
import type { Catalogue } from '../../engine/catalogue/catalogue.ts';
import type { FaultTarget } from '../../engine/faults/fault-rule.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredEvent } from '../../engine/webhooks/outbox-store.ts';
import { SERVICE } from '../../service/api/routes.ts';
import { HOOKS } from '../../service/call-flow.ts';
import type { Fixtures } from '../../service/fixtures/fixtures.ts';
import { targetOf } from '../../service/http/fault-target.ts';
import type { Operation } from '../../service/http/operation.ts';
import type { OrderRecords, PaidEntry } from './order-records.ts';

/** A charge, and what gave it back. */
export interface RefundedCharge {
  charge: PaidEntry;
  refund: PaidEntry | undefined;
}

/** What an explanation needs beside the records. */
export interface ExplainParts {
  catalogue: Catalogue;
  clock: Pick<Clock, 'now'>;
  database: Reader;
  fixtures: Pick<Fixtures, 'considered'>;
}

/** The records of an order that a request began, with the request as its operation reads it. */
export interface ExplainedOrder extends Pick<OrderRecords, 'deliveries' | 'run'> {
  parts: ExplainParts;
  entry: JournalEntry;
  /** Undefined where the request was refused before an operation was chosen. */
  operation: Operation | undefined;
  /** The body as its operation reads it; undefined where it is not JSON, broken, or longer than the journal keeps. */
  body: unknown;
  /** The request as fault rules see it, where there is a body or none is wanted. */
  target: FaultTarget | undefined;
  /** Of the request itself: the steps of a run that it started have their own. */
  charges: RefundedCharge[];
  jobs: Job[];
  events: StoredEvent[];
}

/** One step of what became of a request; the fields beside the text are the same as data. */
export interface ExplainedStep {
  step: string;
  text: string;
  [more: string]: unknown;
}

const OPERATIONS = new Map([...SERVICE, ...HOOKS].map((each) => [each.name, each]));

export function explainedOrder(
  parts: ExplainParts,
  { request: entry, ...records }: OrderRecords & { request: JournalEntry },
): ExplainedOrder {
  const operation = OPERATIONS.get(entry.operation ?? '');
  const body = operation?.body && readBody(operation, entry);
  const isSeen = operation && (operation.body === undefined || body !== undefined);
  const accountId = entry.account_id ?? '';
  const [path = ''] = entry.path.split('?');
  const { entries, deliveries, run } = records;
  const jobs = records.jobs.filter(({ id }) => entry.job_ids.includes(id));
  const events = records.events.filter(({ jobId, runId }) => (jobId ? entry.job_ids.includes(jobId) : runId !== null));
  return {
    parts,
    entry,
    operation,
    body,
    target: isSeen
      ? targetOf({ catalogue: parts.catalogue, body }, operation, { surface: 'service', path, accountId })
      : undefined,
    charges: entry.charges.flatMap((id) => chargeOf(entries, id) ?? []),
    jobs,
    events,
    deliveries: deliveries.filter(({ eventId }) => events.some(({ id }) => id === eventId)),
    run,
  };
}

function chargeOf(entries: readonly PaidEntry[], id: string): RefundedCharge | undefined {
  const charge = entries.find((each) => each.id === id);
  return charge && { charge, refund: entries.find(({ refundOf }) => refundOf === id) };
}

function readBody({ body }: Operation, { request, request_cut }: JournalEntry): unknown {
  if (request === null || request_cut) return undefined;
  try {
    const read = body?.safeParse(JSON.parse(request));
    return read?.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
