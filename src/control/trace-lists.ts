import type { Reader } from '../database/transaction.ts';
import type { Call } from '../http/call.ts';
import type { Operation } from '../http/operation.ts';
import { findBudget } from '../ledger/budget-store.ts';
import { elementsOn } from '../library/elements.ts';
import type { Row } from '../trace/trace-file.ts';
import { type DeliveryPage, listDeliveries, listEvents, type Page } from '../webhooks/webhook-records.ts';
import { listAllAccounts } from './accounts.ts';
import { listElements } from './elements.ts';
import { listAllFaults } from './faults.ts';
import { listAllFlows } from './flows.ts';
import { listAllJobs } from './jobs.ts';
import { listLibrary, listOwnedObjects } from './library.ts';
import { listAllDeliveries, listAllEndpoints, listAllEvents } from './webhooks.ts';

/** How many rows are read at once. */
const PAGE = 250;

const LISTS: readonly Operation[] = [
  ...[listAllAccounts, listAllJobs, listLibrary, listAllEvents, listAllDeliveries],
  ...[listAllEndpoints, listAllFaults, listAllFlows, listOwnedObjects, listElements],
];

/** Whose lists, read from where; `now` is in milliseconds of the emulator's clock. */
export interface ListScope {
  database: Reader;
  now: number;
  accountId: string | undefined;
  baseUrl: string;
}

/** The lists of the control surface as it would answer them, newest first, by their paths below /_emulator. */
export function listsOf(scope: ListScope): [path: string, rows: AsyncGenerator<Row>][] {
  const context = readingParts(scope);
  return LISTS.map((operation) => [operation.path.replace('/_emulator', ''), rowsOf(operation, scope, context)]);
}

/** What lists work with, where nothing can be written: no more of each part than they call. */
function readingParts({ database, now }: ListScope) {
  return {
    database,
    clock: { now: () => now },
    budgets: { find: (id: string) => findBudget(database, id) },
    elements: { list: elementsOn },
    webhooks: {
      listEvents: (page: Page) => listEvents(database, page),
      listDeliveries: (page: DeliveryPage) => listDeliveries(database, page),
    },
  };
}

async function* rowsOf(operation: Operation, { accountId, baseUrl }: ListScope, context: object): AsyncGenerator<Row> {
  // Accounts are narrowed by a search for one.
  const whose = operation === listAllAccounts ? { q: accountId } : { account_id: accountId };
  for (let after: string | undefined; ; ) {
    // A list looks at its query and at whom it answers, and at nothing else of a call.
    const call = { context, query: { ...whose, limit: PAGE, after }, baseUrl } as Partial<
      Call<unknown, unknown>
    > as Call<unknown, unknown>;
    const { data } = (await operation.handle(call)) as { data: Row[] };
    yield* data;
    if (data.length < PAGE) return;
    after = data.at(-1)?.id;
  }
}
