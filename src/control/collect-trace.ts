import { listAccountIds } from '../accounts/account-store.ts';
import { explainRequest } from '../explain/explain-request.ts';
import { readRunSteps } from '../flows/run-step-store.ts';
import { listRuns } from '../flows/run-store.ts';
import type { Call } from '../http/call.ts';
import type { Context } from '../http/context.ts';
import type { Operation } from '../http/operation.ts';
import { makeId } from '../ids.ts';
import { listJobs } from '../jobs/job-store.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { listEntries } from '../ledger/ledger-store.ts';
import { polledJob } from '../trace/order-roots.ts';
import type { Row, TraceFile, TraceHead, TraceTables } from '../trace/trace-file.ts';
import type { PaidEntry } from '../trail/order-records.ts';
import { readDeliveries } from '../webhooks/delivery-store.ts';
import { readEvents } from '../webhooks/event-store.ts';
import { listAllAccounts } from './account-control.ts';
import { listElements } from './element-control.ts';
import { listAllEndpoints } from './endpoint-control.ts';
import { listAllFaults } from './fault-control.ts';
import { listAllFlows } from './flow-control.ts';
import { listAllJobs } from './job-control.ts';
import { listLibrary } from './library-control.ts';
import { NewestRows } from './newest-rows.ts';
import { listOwnedObjects } from './object-control.ts';
import { wholeRunView } from './run-control.ts';
import { listAllDeliveries, listAllEvents } from './webhook-control.ts';

/** What a trace holds at most: requests, characters of their bodies, rows of everything else. */
const MOST_REQUESTS = 20_000;
const MOST_CHARACTERS = 48 * 1_048_576;
const MOST_ROWS = 50_000;
/** Of how many requests the story is told in sentences. */
const MOST_STORIES = 2000;

const LISTS: readonly Operation[] = [
  ...[listAllAccounts, listAllJobs, listLibrary, listAllEvents, listAllDeliveries],
  ...[listAllEndpoints, listAllFaults, listAllFlows, listOwnedObjects, listElements],
];

/** Which requests a trace is of: those of one account or of all. */
export interface TraceScope {
  accountId: string | undefined;
  baseUrl: string;
}

type Collected = Pick<TraceFile, 'tables' | 'lists' | 'explained'> & { leftOut: Omit<TraceHead['leftOut'], 'files'> };

/** Everything that is on record of a run, in the shapes in which it is kept and answered. */
export async function collectTrace(context: Context, scope: TraceScope): Promise<Collected> {
  const { requests, leftOut } = await requestsOf(context, scope.accountId);
  const newest = new NewestRows(MOST_ROWS);
  const tables = { ...tablesOf(context, scope.accountId, newest), requests };
  const explained: Record<string, readonly unknown[]> = {};
  for (const entry of requests.filter((each) => !polledJob(each)).slice(-MOST_STORIES)) {
    explained[entry.id] = explainRequest(context, entry).steps;
  }
  const lists: Record<string, Row[]> = { '/runs': runRows(context, tables) };
  for (const operation of LISTS) {
    const path = operation.path.replace('/_emulator', '');
    lists[path] = newest.keep(path.slice(1), await readRows(operation, { context, scope, most: newest.limit }));
  }
  const { cut: of, most: kept } = newest;
  return { tables, lists, explained, leftOut: { requests: leftOut, ...(of.length > 0 ? { rows: { of, kept } } : {}) } };
}

/** The newest that there is room for, oldest first. */
async function requestsOf({ journal }: Context, accountId: string | undefined) {
  const kept: JournalEntry[] = [];
  let [size, leftOut] = [0, 0];
  await journal.visit(accountId, (entry) => {
    size += (entry.request?.length ?? 0) + (entry.answer?.length ?? 0);
    if (kept.length < MOST_REQUESTS && size < MOST_CHARACTERS) kept.push(entry);
    else leftOut += 1;
  });
  return { requests: kept.toReversed(), leftOut };
}

function tablesOf(context: Context, accountId: string | undefined, newest: NewestRows): Omit<TraceTables, 'requests'> {
  const { database, record } = context;
  const { limit } = newest;
  const page = { accountId, before: Number.MAX_SAFE_INTEGER, limit };
  const runs = newest.keep('runs', listRuns(database, page));
  return {
    jobs: newest.keep('jobs', listJobs(database, page)).toReversed(),
    entries: entriesOf(context, accountId, newest),
    events: newest.keep('events', readEvents(database, page)).toReversed(),
    deliveries: newest.keep('deliveries', readDeliveries(database, page)).toReversed(),
    runs: runs.map((run) => ({ run, steps: readRunSteps(database, run.id) })).toReversed(),
    // What was done to all is told beside what was done to one.
    acts: newest
      .keep('control writes', record.list({ before: Number.MAX_SAFE_INTEGER, limit }))
      .filter((act) => accountId === undefined || act.accountId === accountId || act.accountId === null)
      .toReversed(),
  };
}

function entriesOf({ database, random }: Context, accountId: string | undefined, newest: NewestRows): PaidEntry[] {
  const owners = accountId === undefined ? listAccountIds(database) : [accountId];
  const page = { limit: newest.limit, before: Number.MAX_SAFE_INTEGER };
  return owners
    .flatMap((owner) => newest.keep('ledger entries', listEntries(database, owner, page)).toReversed())
    .map((entry) => ({
      ...entry,
      id: makeId(random, 'entry', entry.accountId, entry.n),
      refundOf: entry.refundOf === null ? null : makeId(random, 'entry', entry.accountId, entry.refundOf),
    }))
    .sort((a, b) => a.created - b.created);
}

function runRows({ flows }: Context, { runs }: Pick<TraceTables, 'runs'>): Row[] {
  return runs.map(({ run }) => ({ ...wholeRunView(flows.tell(run.id)) })).toReversed();
}

interface RowsOrder {
  context: Context;
  scope: TraceScope;
  most: number;
}

/** A list of the control surface, page by page, until there is no more of it or `most` are there. */
async function readRows(operation: Operation, { context, scope, most }: RowsOrder): Promise<Row[]> {
  const { accountId, baseUrl } = scope;
  const rows: Row[] = [];
  while (rows.length < most) {
    const after = rows.at(-1)?.id;
    // Accounts are narrowed by a search for one: of all of a suite there are many.
    const whose = accountId ? { account_id: accountId, q: accountId } : {};
    const query = { limit: 1000, ...whose, ...(after ? { after } : {}) };
    // A list looks at its query and at whom it answers, and at nothing else of a call.
    const call = { context, query, baseUrl } as Partial<Call<unknown, unknown>> as Call<unknown, unknown>;
    const { data } = (await operation.handle(call)) as { data: Row[] };
    rows.push(...data);
    if (data.length < 1000) break;
  }
  return rows;
}
