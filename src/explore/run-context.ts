import type {
  AccountRow,
  DeliveryRow,
  JobRow,
  LedgerRow,
  RequestRow,
  RunRecord,
  VerdictFinding,
} from './run-record.ts';

/** Where one run happens: an account of an emulator, or a whole emulator. */
export interface RunContext {
  control: RunControl;
  /** The account to which rules and lists are narrowed; undefined: the emulator is this run's alone. */
  scope: string | undefined;
  /** The account whose key the story has. */
  accountId: string;
}

/** The most that a list answers at once. */
const ALL = 1000;

/** Reads all that is on record of a run, each list oldest first. */
export async function readRecord({ control, scope, accountId }: RunContext): Promise<RunRecord> {
  const query = { account_id: scope, limit: ALL };
  const [requests, reads, jobs, deliveries, verdict] = await Promise.all([
    control.list<RequestRow>('/requests', query),
    control.list<ReadRow>('/record', { ...query, kind: 'read' }),
    control.list<JobRow>('/jobs', query),
    control.list<DeliveryRow>('/deliveries', query),
    control.get<{ findings: VerdictFinding[] }>('/verdict', { account_id: scope }),
  ]);
  const ids = [...new Set([accountId, ...requests.flatMap(({ account_id }) => account_id ?? [])])];
  const ledgers = await Promise.all(ids.map((id) => control.list<LedgerRow>(`/accounts/${id}/usage`, { limit: ALL })));
  const accounts = await Promise.all(ids.map((id) => control.get<AccountRow>(`/accounts/${id}`)));
  return {
    accounts,
    requests: [...requests.reverse(), ...downloadsOf(reads).reverse()],
    jobs: jobs.reverse(),
    deliveries: await withRuns(control, deliveries.reverse(), scope),
    ledger: ledgers.flatMap((entries) => entries.reverse()),
    findings: verdict.findings,
  };
}

interface EventRow {
  id: string;
  envelope: { data?: { run?: { id?: string } } };
}

/** Deliveries of flows with the runs that they are about: the list of deliveries does not say. */
async function withRuns(
  control: RunControl,
  deliveries: DeliveryRow[],
  scope: string | undefined,
): Promise<DeliveryRow[]> {
  if (!deliveries.some(({ type }) => type.startsWith('flow.'))) return deliveries;
  const events = await control.list<EventRow>('/events', { account_id: scope, limit: ALL });
  const runs = new Map(events.map(({ id, envelope }) => [id, envelope.data?.run?.id]));
  return deliveries.map((delivery) => ({ ...delivery, run_id: runs.get(delivery.event_id) }));
}

/** A read of a file as `GET /_emulator/record` lists it. */
interface ReadRow {
  id: string;
  at: string;
  account_id: string | null;
  call: { method: string; path: string; status: number; cut: boolean } | null;
}

/** Who came too late is among the requests. */
const EXPIRED = 403;

function downloadsOf(reads: readonly ReadRow[]): RequestRow[] {
  return reads.flatMap(({ id, at, account_id, call }): RequestRow[] => {
    if (!call || call.status === EXPIRED) return [];
    const none = { duration_ms: 0, charges: [], job_ids: [], request: null, answer: null };
    return [{ id, account_id, ...call, received_at: at, ...none }];
  });
}

/** How many requests of a run are on record, and whether anything is still to be done: without a look at bodies. */
export async function countRequests({ control, scope }: RunContext): Promise<number> {
  return (await control.list<object>('/requests', { account_id: scope, limit: ALL, brief: 'true' })).length;
}

/** What a check is given on standard input. */
export async function readAccount({ control, accountId }: RunContext): Promise<Record<string, unknown>> {
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

/** What narrows a list: as a query has it. */
type Query = Readonly<Record<string, string | number | undefined>>;

/** Carries out an operation of the control surface by its method and path, in this process. */
export type ControlCall = (method: string, path: string, order?: { query?: Query; body?: unknown }) => Promise<unknown>;

/** The control surface of a run's emulator, called in process: what a user could do by hand. */
export class RunControl {
  readonly #call: ControlCall;

  constructor(call: ControlCall) {
    this.#call = call;
  }

  get<T>(path: string, query?: Query): Promise<T> {
    return this.#send('GET', path, { query });
  }

  post<T>(path: string, body: unknown = {}): Promise<T> {
    return this.#send('POST', path, { body });
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#send('PUT', path, { body });
  }

  async delete(path: string, query?: Query): Promise<void> {
    await this.#send('DELETE', path, { query });
  }

  /** All items of a list, newest first, or the first `limit` of them. */
  async list<T>(path: string, query?: Query): Promise<T[]> {
    const { data } = await this.get<{ data: T[] }>(path, query);
    return data;
  }

  async #send<T>(method: string, path: string, order: { query?: Query | undefined; body?: unknown }): Promise<T> {
    const { query = {}, body } = order;
    return (await this.#call(method, `/_emulator${path}`, { query, body })) as T;
  }
}
