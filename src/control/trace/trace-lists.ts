import { findPosition } from '../../base/database/list-queries.ts';
import { type Account, findAccount, listAccounts } from '../../engine/accounts/account-store.ts';
import { listRuns, type StoredRun } from '../../engine/flows/flow-store.ts';
import { type Job, listJobs } from '../../engine/jobs/job-store.ts';
import type { StoredAuditEntry } from '../../engine/journal/audit-store.ts';
import { listEntries } from '../../engine/ledger/entry-store.ts';
import { listEndpoints, type StoredEndpoint, toEndpointWithWorkspace } from '../../engine/webhooks/endpoint-store.ts';
import {
  type DeliveryRecord,
  type EventRecord,
  listDeliveries,
  listEvents,
} from '../../engine/webhooks/webhook-records.ts';
import type { Context } from '../../service/http/context.ts';
import { accountView } from '../accounts.ts';
import { auditEntryView } from '../journal.ts';
import { ledgerEntryView, type PublicLedgerEntry, toPublicLedgerEntry } from '../ledger.ts';
import { cursorPosition } from '../list-page.ts';
import type { OPERATION_ROUTES } from '../operation-routes.ts';
import { flowRunView } from '../runs.ts';

interface PageOf<Row> {
  accountId: string | undefined;
  last: Row | undefined;
  limit: number;
}

export interface TraceList<Row> {
  name: keyof typeof OPERATION_ROUTES;
  rows(context: Context, page: PageOf<Row>): readonly Row[];
  view?(row: Row): object;
}

function list<Row>(given: TraceList<Row>): TraceList<Row> {
  return given;
}

function before(last: { position: number } | undefined): number {
  return last?.position ?? Number.MAX_SAFE_INTEGER;
}

export const JOB_LIST = list<Job>({
  name: 'listJobs',
  rows: ({ database }, { last, ...page }) => listJobs(database, { ...page, before: before(last) }),
});

export const RUN_LIST = list<StoredRun>({
  name: 'listRuns',
  rows: ({ database }, { last, ...page }) => listRuns(database, { ...page, before: before(last) }),
  view: flowRunView,
});

export const DELIVERY_LIST = list<DeliveryRecord>({
  name: 'listDeliveries',
  rows: ({ database }, { last, ...page }) => listDeliveries(database, { ...page, after: last?.id }),
});

export const EVENT_LIST = list<EventRecord>({
  name: 'listEvents',
  rows: ({ database }, { last, ...page }) => listEvents(database, { ...page, after: last?.id }),
});

/** Finds accounts by a search, because their list has no filter for an account. */
export const ACCOUNT_LIST = list<Account>({
  name: 'listAccounts',
  rows: ({ database }, { last, accountId, limit }) =>
    listAccounts(database, { q: accountId, limit, before: before(last) }),
  view: accountView,
});

export const ENDPOINT_LIST = list<StoredEndpoint>({
  name: 'listEndpoints',
  rows({ database }, { last, accountId, limit }) {
    // No workspace has the empty id, so an unknown account has no endpoints.
    const workspaceId = accountId && (findAccount(database, accountId)?.workspaceId ?? '');
    return listEndpoints(database, {
      workspaceId,
      limit,
      before: cursorPosition(last?.id, (id) => findPosition(database, 'endpoints', id)),
    });
  },
  view: toEndpointWithWorkspace,
});

export const NOTE_LIST = list<StoredAuditEntry>({
  name: 'listRecord',
  rows: ({ records }, { last, ...page }) => records.audit.list({ ...page, kind: 'note', before: before(last) }),
  view: auditEntryView,
});

export function accountUsageList(accountId: string) {
  return list<PublicLedgerEntry>({
    name: 'listUsage',
    rows: (context, { last, limit }) => {
      const entries = listEntries(context.database, accountId, { limit, before: last?.n ?? Number.MAX_SAFE_INTEGER });
      return entries.map((each) => toPublicLedgerEntry(context, each));
    },
    view: ledgerEntryView,
  });
}
