import type { ControlConnection } from '../client/control-connection.ts';
import type { DeliveryRow, JobRow, LedgerRow, RequestRow, RunRecord, VerdictFinding } from './run-record.ts';

/** Where one run takes place: an account of an emulator, or all of one. */
export interface Stage {
  control: ControlConnection;
  /** The account to which rules and lists are narrowed; undefined: the emulator is this run's alone. */
  scope: string | undefined;
  /** The account whose key the story has. */
  accountId: string;
}

/** The most that a list answers at once. */
const ALL = 1000;

/** Reads all that is on record of a run, each list oldest first. */
export async function readRecord({ control, scope, accountId }: Stage): Promise<RunRecord> {
  const query = { account_id: scope, limit: ALL };
  const [requests, jobs, deliveries, verdict, account] = await Promise.all([
    control.list<RequestRow>('/requests', query),
    control.list<JobRow>('/jobs', query),
    control.list<DeliveryRow>('/deliveries', query),
    control.get<{ findings: VerdictFinding[] }>('/verdict', { account_id: scope }),
    control.get<{ credits: number }>(`/accounts/${accountId}`),
  ]);
  const accounts = new Set([accountId, ...requests.flatMap(({ account_id }) => account_id ?? [])]);
  const ledgers = await Promise.all(
    [...accounts].map((id) => control.list<LedgerRow>(`/accounts/${id}/usage`, { limit: ALL })),
  );
  return {
    requests: requests.reverse(),
    jobs: jobs.reverse(),
    deliveries: deliveries.reverse(),
    ledger: ledgers.flatMap((entries) => entries.reverse()),
    findings: verdict.findings,
    balance: account.credits,
  };
}

/** How many requests of a run are on record, and whether anything is still to be done: without a look at bodies. */
export async function countRequests({ control, scope }: Stage): Promise<number> {
  return (await control.list<object>('/requests', { account_id: scope, limit: ALL, brief: 'true' })).length;
}

/** What a check is given on standard input. */
export async function readAccount({ control, accountId }: Stage): Promise<Record<string, unknown>> {
  const query = { account_id: accountId, limit: ALL };
  const [account, ledger, jobs, deliveries] = await Promise.all([
    control.get<{ credits: number }>(`/accounts/${accountId}`),
    control.list<LedgerRow>(`/accounts/${accountId}/usage`, { limit: ALL }),
    control.list<JobRow>('/jobs', query),
    control.list<DeliveryRow>('/deliveries', query),
  ]);
  const oldest = ledger.reverse();
  return {
    account_id: accountId,
    balance: account.credits,
    charges: oldest.filter(({ type }) => type === 'charge'),
    refunds: oldest.filter(({ type }) => type === 'refund'),
    jobs: jobs.reverse(),
    deliveries: deliveries.reverse(),
  };
}
