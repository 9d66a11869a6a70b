import type { Transport } from '../control/call-operation.ts';
import { ControlConnection } from '../control/control-connection.ts';
import { ClockClient, FaultClient, InboxClient, SnapshotClient, WaitClient } from './client-parts.ts';
import type {
  AccountDelivery,
  AccountEvent,
  AccountJob,
  AccountOrder,
  AnswerOf,
  ControlCalls,
  Explanation,
  Health,
  InvariantReport,
  JournalledRequest,
  LedgerEntry,
  OpenedAccount,
  Plan,
  Progression,
  UsageSummary,
  Verdict,
} from './client-records.ts';
import { StartedAssertions } from './started-assertions.ts';

/** What a trace holds. */
export interface TraceOptions {
  account?: { id: string };
  /** The command or the test. */
  title?: string;
  /** Why it failed. */
  failure?: string;
  /** `small`: little pictures, and the peaks of sounds; `whole`: every file. */
  media?: 'none' | 'small' | 'whole';
  /** Texts that are masked wherever they occur. */
  secrets?: readonly string[];
}

/** The control surface of one emulator, typed: everything that can be done to it from outside. */
export class EmulatorClient {
  /** Its address, without a path: `http://127.0.0.1:4600`. */
  readonly url: string;
  /** Every operation of the control surface by its name; the other members are shorter to write. */
  readonly control: ControlCalls;
  readonly clock: ClockClient;
  readonly faults: FaultClient;
  readonly waitFor: WaitClient;
  protected readonly transport: Transport;
  #inboxes = 0;

  /** `transport` carries the calls elsewhere than to the control surface at `url`. */
  constructor(url: string, controlToken?: string, transport?: Transport) {
    const connection = new ControlConnection(url, { controlToken });
    this.url = connection.url;
    this.transport = transport ?? connection.transport;
    this.control = controlCalls(this.transport);
    this.clock = new ClockClient(this.control);
    this.faults = new FaultClient(this.control);
    this.waitFor = new WaitClient(this.transport);
  }

  /** What an `openai` client takes as its `baseURL`. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  /** A new account with a key of its own: the way to keep parallel tests apart. */
  async account(order: AccountOrder = {}): Promise<AccountClient> {
    return this.accountOf(await this.control.createAccount(order));
  }

  protected accountOf(opened: OpenedAccount): AccountClient {
    return new AccountClient(this.transport, this.control, opened);
  }

  /** Every movement of money of an account, oldest first. */
  ledger(account: { id: string } | string): Promise<LedgerEntry[]> {
    return readLedger(this.control, typeof account === 'string' ? account : account.id);
  }

  /** The newest requests of an account, at most 1,000, oldest first. */
  async requests(account: { id: string }): Promise<JournalledRequest[]> {
    const requests = await this.control.listRequests({ accountId: account.id });
    return requests.filter((each): each is JournalledRequest => 'request' in each).reverse();
  }

  /** What became of a request, by its `x-request-id`. */
  explain(requestId: string): Promise<Explanation> {
    return this.control.explainRequest({ id: requestId });
  }

  /** What the clients of all accounts did wrong, or that of one. */
  verdict(account?: { id: string }): Promise<Verdict> {
    return this.control.judgeClient({ accountId: account?.id });
  }

  /** What is on record of all accounts or of one, as one HTML page that needs no emulator. */
  trace(order: TraceOptions = {}): Promise<string> {
    const { account, secrets = [], ...rest } = order;
    return this.control.saveTrace({ ...rest, secrets: [...secrets], accountId: account?.id });
  }

  /** A built-in receiver; without a name, one of its own. */
  inbox(name?: string): InboxClient {
    this.#inboxes += 1;
    return new InboxClient(this, name ?? `inbox-${this.#inboxes}`);
  }

  /** Keeps the whole state under a name. */
  async snapshot(name: string): Promise<SnapshotClient> {
    await this.control.saveSnapshot({ name });
    return new SnapshotClient(this.control, name);
  }

  /** Puts a note on record, of one account or of all: trace, Live and the timelines of orders show it at its time. */
  async note(text: string, account?: { id: string }): Promise<void> {
    await this.control.createNote({ text, accountId: account?.id });
  }

  async setProgression(progression: Progression): Promise<void> {
    await this.control.setProgression(progression);
  }

  /** Ends a job by hand. */
  finishJob(id: string, end: { outcome: 'succeeded' | 'failed'; code?: string }): Promise<AccountJob> {
    return this.control.finishJob({ id, ...end });
  }

  /** What must hold at every moment, checked now. */
  invariants(): Promise<InvariantReport> {
    return this.control.getInvariants();
  }

  health(): Promise<Health> {
    return this.control.getHealth();
  }

  /** Back to the seeded state; snapshots stay. */
  reset(): Promise<void> {
    return this.control.resetEmulator();
  }
}

/**
 * The schemas are loaded when the first operation is called. Each throws `ControlError` with what the emulator refuses,
 * `NoEmulator` where none answers, and `TypeError` for a name that no operation has.
 */
function controlCalls(transport: Transport): ControlCalls {
  const callOf = (name: string) => async (input?: object) => {
    const { callInCamelCase } = await import('./camel-calls.ts');
    return callInCamelCase(transport, name, input);
  };
  // `await` of the whole object, a mistake, must not call an operation named `then`.
  const isName = (name: string | symbol) => typeof name === 'string' && name !== 'then';
  return new Proxy({} as ControlCalls, { get: (_, name) => (isName(name) ? callOf(String(name)) : undefined) });
}

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
  /** For the fixtures of test runners. */
  readonly assertions = new StartedAssertions();
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

  /** By what its spend is measured, oldest first: the ledger. */
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

  /** What it was charged, by operation and model. */
  usageSummary(): Promise<UsageSummary> {
    return this.#calls.summarizeSpending({ accountId: this.id });
  }

  /** What its client did wrong, by the records. */
  verdict(): Promise<Verdict> {
    return this.#calls.judgeClient({ accountId: this.id });
  }

  topUp(amount: number): Promise<LedgerEntry> {
    return this.#calls.topUpCredits({ id: this.id, amount });
  }

  /** Of its whole workspace. */
  setPlan(plan: Plan): Promise<AnswerOf<'changeAccount'>> {
    return this.#calls.changeAccount({ id: this.id, plan });
  }

  /** One more key of this account. */
  addKey(): Promise<AnswerOf<'addKey'>> {
    return this.#calls.addKey({ id: this.id });
  }
}

const PAGE = 1000;

/** Oldest first, page by page. */
async function readLedger(calls: ControlCalls, id: string): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: string | undefined; ; after = entries.at(-1)?.id) {
    const page = await calls.listUsage({ id, limit: PAGE, after });
    entries.push(...page);
    if (page.length < PAGE) return entries.reverse();
  }
}
