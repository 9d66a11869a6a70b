import { SERVICE } from '../api/routes.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Clock } from '../clock/clock.ts';
import type { Reader } from '../database/transaction.ts';
import type { FaultTarget } from '../faults/fault-rule.ts';
import type { Fixtures } from '../fixtures/fixtures.ts';
import { HOOKS } from '../hooks/hook-routes.ts';
import type { Operation } from '../http/operation.ts';
import { targetOf } from '../http/strike-call.ts';
import { makeId, numberOf } from '../ids.ts';
import type { Job } from '../jobs/job.ts';
import { findJob } from '../jobs/job-store.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { findEntry, findRefund, type StoredEntry } from '../ledger/ledger-store.ts';
import type { Random } from '../random.ts';

/** A charge, and what gave it back; both with their public ids. */
export interface PaidCharge {
  id: string;
  charge: StoredEntry;
  refund: (StoredEntry & { id: string }) | undefined;
}

/** What a story is read from. */
export interface StoryParts {
  catalogue: Catalogue;
  clock: Pick<Clock, 'now'>;
  database: Reader;
  fixtures: Pick<Fixtures, 'considered'>;
  random: Random;
}

/** All that is on record of one request. */
export interface Story {
  context: StoryParts;
  entry: JournalEntry;
  /** Undefined where it was refused before it came to one. */
  operation: Operation | undefined;
  /** The body as its operation reads it; undefined where it is not JSON, broken, or longer than the journal keeps. */
  body: unknown;
  /** The request as fault rules see it, where there is a body or none is wanted. */
  target: FaultTarget | undefined;
  charges: PaidCharge[];
  jobs: Job[];
}

/** One step of what became of a request; what stands beside the text is the same as data. */
export interface Step {
  step: string;
  text: string;
  [more: string]: unknown;
}

const NOTHING = { charges: [], job_ids: [] };
const OPERATIONS = new Map([...SERVICE, ...HOOKS].map((each) => [each.name, each]));

export function storyOf(context: StoryParts, entry: JournalEntry): Story {
  const operation = OPERATIONS.get(entry.operation ?? '');
  const body = operation?.body && readBody(operation, entry);
  const isSeen = operation && (operation.body === undefined || body !== undefined);
  const accountId = entry.account_id ?? '';
  const [path = ''] = entry.path.split('?');
  // What there is of those names now is not what this request led to.
  const { charges, job_ids: jobIds } = entry.discarded ? NOTHING : entry;
  return {
    context,
    entry,
    operation,
    body,
    target: isSeen
      ? targetOf({ catalogue: context.catalogue, body }, operation, { surface: 'service', path, accountId })
      : undefined,
    charges: charges.flatMap((id) => chargeOf(context, accountId, id) ?? []),
    jobs: jobIds.flatMap((id) => findJob(context.database, id) ?? []),
  };
}

function chargeOf(
  { database, random }: Pick<StoryParts, 'database' | 'random'>,
  accountId: string,
  id: string,
): PaidCharge | undefined {
  const n = numberOf(random, 'entry', accountId, id);
  const charge = n === undefined ? undefined : findEntry(database, accountId, n);
  if (!charge) return undefined;
  const refund = findRefund(database, accountId, charge.n);
  const named = refund && { ...refund, id: makeId(random, 'entry', accountId, refund.n) };
  return { id, charge, refund: named };
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
