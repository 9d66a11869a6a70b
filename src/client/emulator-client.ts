import {
  AccountClient,
  type AccountOrder,
  type LedgerEntry,
  type OpenedAccount,
  readLedger,
} from './account-client.ts';
import { ClockClient } from './clock-client.ts';
import { ControlConnection } from './control-connection.ts';
import { FaultClient } from './fault-client.ts';
import { InboxClient } from './inbox-client.ts';
import { SnapshotClient } from './snapshot-client.ts';
import type { Explanation, SqlAnswer, SqlParameter, Verdict } from './story-shapes.ts';
import { WaitClient } from './wait-client.ts';

/** How jobs move: see `setProgression`. */
export interface Progression {
  mode: 'render' | 'seconds' | 'polls' | 'manual' | null;
  /** Seconds of the emulator's clock, or polls. */
  value?: number;
  accountId?: string;
}

export interface Health {
  status: string;
  version: string;
  started_at: string;
  clock: string;
}

/** What a trace is of, and what is said of it. */
export interface TraceOrder {
  account?: { id: string };
  /** The command or the test. */
  title?: string;
  /** Why it failed. */
  failure?: string;
  /** `small`: little pictures, and the peaks of sounds; `whole`: every file. */
  media?: 'none' | 'small' | 'whole';
}

export interface InvariantReport {
  ok: boolean;
  checks: { name: string; ok: boolean; detail?: string }[];
}

/** A request as the journal keeps it: keys redacted, bodies cut where they are long. */
export interface JournalledRequest {
  id: string;
  account_id: string | null;
  method: string;
  path: string;
  operation: string | null;
  status: number;
  created: number;
  duration_ms: number;
  /** How often the client says that it has tried before. */
  retry_count: number;
  credits: number | null;
  /** Ids of the ledger entries by which it was charged, refunded or not. */
  charges: string[];
  job_ids: string[];
  event_ids: string[];
  delivery_ids: string[];
  /** The fault rule that struck it. */
  fault?: string;
  request: string | null;
  answer: string | null;
}

/** Everything that can be done to an emulator from outside, typed: the control surface of one instance. */
export class EmulatorClient {
  /** Where it is, without a path: `http://127.0.0.1:4600`. */
  readonly url: string;
  readonly clock: ClockClient;
  readonly faults: FaultClient;
  readonly waitFor: WaitClient;
  readonly #control: ControlConnection;
  #inboxes = 0;

  constructor(url: string, controlToken?: string) {
    this.#control = new ControlConnection(url, controlToken);
    this.url = this.#control.url;
    this.clock = new ClockClient(this.#control);
    this.faults = new FaultClient(this.#control);
    this.waitFor = new WaitClient(this.#control);
  }

  /** What an `openai` client takes as its `baseURL`. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  /** A new account with a key of its own: the way to keep parallel tests apart. */
  async account({ workspaceId, ...order }: AccountOrder = {}): Promise<AccountClient> {
    const wanted = { ...order, workspace_id: workspaceId };
    return new AccountClient(this.#control, await this.#control.post<OpenedAccount>('/accounts', wanted));
  }

  /** Every movement of money of an account, oldest first. */
  ledger(account: { id: string } | string): Promise<LedgerEntry[]> {
    return readLedger(this.#control, typeof account === 'string' ? account : account.id);
  }

  /** The newest requests of an account, at most 1,000, oldest first. */
  async requests(account: { id: string }): Promise<JournalledRequest[]> {
    const query = { account_id: account.id };
    return (await this.#control.list<JournalledRequest>('/requests', query)).reverse();
  }

  /** What became of a request, by its `x-request-id`. */
  explain(requestId: string): Promise<Explanation> {
    return this.#control.get(`/explain/${encodeURIComponent(requestId)}`);
  }

  /** What the clients of all accounts did wrong, or that of one. */
  verdict(account?: { id: string }): Promise<Verdict> {
    return this.#control.get('/verdict', { account_id: account?.id });
  }

  /** The rows of one statement that only reads. Throws `invalid_request` for any other, and for one that takes too long. */
  sql<Row = Record<string, unknown>>(sql: string, params: readonly SqlParameter[] = []): Promise<SqlAnswer<Row>> {
    return this.#control.post('/sql', { sql, params });
  }

  /** What is on record of all accounts or of one, as one HTML page that needs no emulator. */
  trace(order: TraceOrder = {}): Promise<string> {
    const { account, ...rest } = order;
    return this.#control.text('/trace', { ...rest, account_id: account?.id });
  }

  /** A built-in receiver; without a name, one of its own. */
  inbox(name?: string): InboxClient {
    this.#inboxes += 1;
    return new InboxClient(this.#control, name ?? `inbox-${this.#inboxes}`);
  }

  /** Keeps the whole state under a name. */
  async snapshot(name: string): Promise<SnapshotClient> {
    await this.#control.post('/snapshots', { name });
    return new SnapshotClient(this.#control, name);
  }

  async setProgression({ accountId, ...progression }: Progression): Promise<void> {
    await this.#control.put('/progression', { ...progression, account_id: accountId });
  }

  /** Ends a job by hand. */
  finishJob(id: string, end: { outcome: 'succeeded' | 'failed'; code?: string }): Promise<Record<string, unknown>> {
    return this.#control.post(`/jobs/${id}/finish`, end);
  }

  /** What must hold at every moment, checked now. */
  invariants(): Promise<InvariantReport> {
    return this.#control.get('/invariants');
  }

  health(): Promise<Health> {
    return this.#control.get('/health');
  }

  /** Back to the seeded state; snapshots stay. */
  async reset(): Promise<void> {
    await this.#control.post('/reset');
  }
}
