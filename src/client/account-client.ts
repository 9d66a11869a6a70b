import type { ControlConnection } from './control-connection.ts';
import { FaultClient } from './fault-client.ts';
import type { Budget, UsageSummary, Verdict } from './story-shapes.ts';
import { WaitClient } from './wait-client.ts';

export type Plan = 'payg' | 'hobby' | 'creator' | 'studio';
export type Role = 'owner' | 'admin' | 'member';

/** What a new account is to be; without `workspaceId` it owns a workspace of its own. */
export interface AccountOrder {
  name?: string;
  workspaceId?: string;
  plan?: Plan;
  role?: Role;
  /** 50 unless told otherwise. */
  credits?: number;
}

export interface OpenedAccount {
  id: string;
  workspace_id: string;
  plan: Plan;
  role: Role;
  credits: number;
  api_key: string;
}

/** One movement of money: `amount` is negative for a charge, `balance` is what was left after it, `created` unix seconds. */
export interface LedgerEntry {
  id: string;
  type: 'grant' | 'charge' | 'refund' | 'top_up';
  amount: number;
  balance: number;
  operation: string | null;
  job_id: string | null;
  refund_of: string | null;
  created: number;
}

/** A render: `error` when it failed, `result_url` when it succeeded. */
export interface AccountJob {
  id: string;
  status: 'queued' | 'processing' | 'succeeded' | 'failed';
  model: string;
  credits: number;
  result_url?: string;
  error?: { code: string; message: string };
}

/** An event; `envelope` is what its deliveries carry. */
export interface AccountEvent {
  id: string;
  type: string;
  created: number;
  envelope: Record<string, unknown>;
}

/** One attempt to tell an endpoint of an event. */
export interface AccountDelivery {
  id: string;
  event_id: string;
  type: string;
  url: string;
  status: 'due' | 'attempted' | 'delivered' | 'failed';
  response_status: number | null;
  error: string | null;
}

/** An account of one's own: what a test does on it no other test sees. */
export class AccountClient {
  readonly id: string;
  readonly workspaceId: string;
  /** Shown here only; pass it to the client under test. */
  readonly apiKey: string;
  /** Rules that strike this account alone. */
  readonly faults: FaultClient;
  /** Waits for what happens on this account. */
  readonly waitFor: WaitClient;
  readonly #control: ControlConnection;

  constructor(control: ControlConnection, opened: OpenedAccount) {
    this.#control = control;
    this.faults = new FaultClient(control, opened.id);
    this.waitFor = new WaitClient(control, opened.id);
    this.id = opened.id;
    this.workspaceId = opened.workspace_id;
    this.apiKey = opened.api_key;
  }

  /** Credits that are left. */
  async balance(): Promise<number> {
    const { credits } = await this.#control.get<{ credits: number }>(`/accounts/${this.id}`);
    return credits;
  }

  /** Every movement of money, oldest first. */
  ledger(): Promise<LedgerEntry[]> {
    return readLedger(this.#control, this.id);
  }

  /** Its renders as the control surface shows them, oldest first; looking settles nothing. */
  jobs(): Promise<AccountJob[]> {
    return this.#list('/jobs');
  }

  /** What was announced of its work, oldest first. */
  events(): Promise<AccountEvent[]> {
    return this.#list('/events');
  }

  /** What was sent of it to whom, oldest first. */
  deliveries(): Promise<AccountDelivery[]> {
    return this.#list('/deliveries');
  }

  /** From now on it may spend so much, net of refunds; beyond it requests are answered 402. Null: what it has. */
  async setBudget(credits: number | null): Promise<Budget | null> {
    const path = `/accounts/${this.id}/budget`;
    return (await this.#control.put<{ budget: Budget | null }>(path, { credits })).budget;
  }

  /** What it was charged, by operation and model. */
  usageSummary(): Promise<UsageSummary> {
    return this.#control.get(`/accounts/${this.id}/usage/summary`);
  }

  /** What its client did wrong, by what is on record. */
  verdict(): Promise<Verdict> {
    return this.#control.get('/verdict', { account_id: this.id });
  }

  topUp(amount: number): Promise<LedgerEntry> {
    return this.#control.post(`/accounts/${this.id}/credits`, { amount });
  }

  setPlan(plan: Plan): Promise<{ id: string; plan: Plan }> {
    return this.#control.patch(`/workspaces/${this.workspaceId}`, { plan });
  }

  /** One more key of this account. */
  addKey(): Promise<{ id: string; api_key: string }> {
    return this.#control.post(`/accounts/${this.id}/keys`);
  }

  async #list<T>(path: string): Promise<T[]> {
    return (await this.#control.list<T>(path, { account_id: this.id })).reverse();
  }
}

const PAGE = 1000;

/** Oldest first, page by page. */
export async function readLedger(control: ControlConnection, accountId: string): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: string | undefined; ; after = entries.at(-1)?.id) {
    const query = { limit: PAGE, after };
    const page = await control.list<LedgerEntry>(`/accounts/${accountId}/usage`, query);
    entries.push(...page);
    if (page.length < PAGE) return entries.reverse();
  }
}
