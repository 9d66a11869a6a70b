import type { Transport } from './call-operation.ts';
import { FaultClient } from './client-parts.ts';
import type {
  AccountDelivery,
  AccountEvent,
  AccountJob,
  Budget,
  LedgerEntry,
  OpenedAccount,
  Plan,
  UsageSummary,
  Verdict,
} from './client-records.ts';
import type { AnswerOf, ControlCalls } from './control-surface.ts';
import { WaitClient } from './wait-client.ts';

/** An account for one test: no other test sees what is done on it. */
export class AccountClient {
  readonly id: string;
  readonly workspaceId: string;
  /** Shown here only; pass it to the client under test. */
  readonly apiKey: string;
  /** The test that it was reported to be made for. */
  readonly unitId: string | undefined;
  /** Rules that match the requests of this account alone. */
  readonly faults: FaultClient;
  /** Waits for what happens on this account. */
  readonly waitFor: WaitClient;
  readonly #calls: ControlCalls;

  constructor(transport: Transport, calls: ControlCalls, opened: OpenedAccount) {
    this.#calls = calls;
    this.id = opened.id;
    this.workspaceId = opened.workspaceId;
    this.apiKey = opened.apiKey;
    this.unitId = opened.unitId;
    this.faults = new FaultClient(calls, this.id);
    this.waitFor = new WaitClient(transport, this.id);
  }

  /** The credits that are left. */
  async balance(): Promise<number> {
    return (await this.#calls.showAccount({ id: this.id })).credits;
  }

  /** Every movement of money, oldest first. */
  ledger(): Promise<LedgerEntry[]> {
    return readLedger(this.#calls, this.id);
  }

  /** By what its spend is measured, oldest first: the ledger; on the real service, what its balance has changed by. */
  movements(): Promise<LedgerEntry[]> {
    return this.ledger();
  }

  /** Its renders as the control surface shows them, oldest first; looking settles nothing. */
  async jobs(): Promise<AccountJob[]> {
    return (await this.#calls.listJobs({ accountId: this.id })).reverse();
  }

  /** The events that were published of its work, oldest first. */
  async events(): Promise<AccountEvent[]> {
    return (await this.#calls.listEvents({ accountId: this.id })).reverse();
  }

  /** What was sent to its endpoints, oldest first. */
  async deliveries(): Promise<AccountDelivery[]> {
    return (await this.#calls.listDeliveries({ accountId: this.id })).reverse();
  }

  /** Limits what it may spend from now on, net of refunds; requests beyond it are answered 402. Null takes the limit away. */
  async setBudget(credits: number | null): Promise<Budget | null> {
    return (await this.#calls.setBudget({ id: this.id, credits })).budget;
  }

  /** What it was charged, by operation and model. */
  usageSummary(): Promise<UsageSummary> {
    return this.#calls.summarizeUsage({ id: this.id });
  }

  /** What its client did wrong, by the records. */
  verdict(): Promise<Verdict> {
    return this.#calls.judgeClient({ accountId: this.id });
  }

  topUp(amount: number): Promise<LedgerEntry> {
    return this.#calls.topUpCredits({ id: this.id, amount });
  }

  setPlan(plan: Plan): Promise<AnswerOf<'setPlan'>> {
    return this.#calls.setPlan({ id: this.workspaceId, plan });
  }

  /** One more key of this account. */
  addKey(): Promise<AnswerOf<'addKey'>> {
    return this.#calls.addKey({ id: this.id });
  }
}

const PAGE = 1000;

/** Oldest first, page by page. */
export async function readLedger(calls: ControlCalls, id: string): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: string | undefined; ; after = entries.at(-1)?.id) {
    const page = await calls.listUsage({ id, limit: PAGE, after });
    entries.push(...page);
    if (page.length < PAGE) return entries.reverse();
  }
}
