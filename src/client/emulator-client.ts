import type { Transport } from '../control/call-operation.ts';
import { ControlConnection } from '../control/control-connection.ts';
import { ClockClient, FaultClient, InboxClient, SnapshotClient, WaitClient } from './client-parts.ts';
import type {
  AccountDelivery,
  AccountEvent,
  AccountJob,
  AccountSettings,
  ControlMethods,
  Explanation,
  Health,
  InvariantReport,
  JournalledRequest,
  LedgerEntry,
  OpenedAccount,
  OperationAnswer,
  Plan,
  ProgressionInput,
  UsageSummary,
  Verdict,
} from './client-records.ts';

export interface TraceOptions {
  account?: { id: string };
  title?: string;
  failure?: string;
  /** `none`: no files; `small`, the default: thumbnails and waveforms; `whole`: every file. */
  media?: 'none' | 'small' | 'whole';
  /** Texts to mask in the trace. */
  secrets?: readonly string[];
}

export class EmulatorClient {
  /** The address of the emulator without a path, such as `http://127.0.0.1:4600`. */
  readonly url: string;
  readonly control: ControlMethods;
  readonly clock: ClockClient;
  readonly faults: FaultClient;
  readonly waitFor: WaitClient;
  protected readonly transport: Transport;
  #inboxes = 0;

  constructor(url: string, controlToken?: string, transport?: Transport) {
    const connection = new ControlConnection(url, { controlToken });
    this.url = connection.url;
    this.transport = transport ?? connection.transport;
    this.control = controlCalls(this.transport);
    this.clock = new ClockClient(this.control);
    this.faults = new FaultClient(this.control);
    this.waitFor = new WaitClient(this.transport);
  }

  /** The `baseURL` of an `openai` client. */
  get baseUrl(): string {
    return `${this.url}/v1`;
  }

  async account(order: AccountSettings = {}): Promise<AccountClient> {
    return this.accountOf(await this.control.createAccount(order));
  }

  protected accountOf(opened: OpenedAccount): AccountClient {
    return new AccountClient(this.transport, this.control, opened);
  }

  ledger(account: { id: string } | string): Promise<LedgerEntry[]> {
    return readLedger(this.control, typeof account === 'string' ? account : account.id);
  }

  /** Returns at most the newest 1,000 requests of an account, oldest first. */
  async requests(account: { id: string }): Promise<JournalledRequest[]> {
    const requests = await this.control.listRequests({ accountId: account.id });
    return requests.filter((each): each is JournalledRequest => 'request' in each).reverse();
  }

  /** Explains the request whose response had this `x-request-id`. */
  explain(requestId: string): Promise<Explanation> {
    return this.control.explainRequest({ id: requestId });
  }

  /** Lists the mistakes of the clients of one account or of all. */
  verdict(account?: { id: string }): Promise<Verdict> {
    return this.control.judgeClient({ accountId: account?.id });
  }

  trace(order: TraceOptions = {}): Promise<string> {
    const { account, secrets = [], ...rest } = order;
    return this.control.saveTrace({ ...rest, secrets: [...secrets], accountId: account?.id });
  }

  inbox(name?: string): InboxClient {
    this.#inboxes += 1;
    return new InboxClient(this, name ?? `inbox-${this.#inboxes}`);
  }

  async snapshot(name: string): Promise<SnapshotClient> {
    await this.control.saveSnapshot({ name });
    return new SnapshotClient(this.control, name);
  }

  /** Records a note, which traces, Live and timelines show at its time. */
  async note(text: string, account?: { id: string }): Promise<void> {
    await this.control.createNote({ text, accountId: account?.id });
  }

  async setProgression(progression: ProgressionInput): Promise<void> {
    await this.control.setProgression(progression);
  }

  finishJob(id: string, end: { outcome: 'succeeded' | 'failed'; code?: string }): Promise<AccountJob> {
    return this.control.finishJob({ id, ...end });
  }

  invariants(): Promise<InvariantReport> {
    return this.control.getInvariants();
  }

  health(): Promise<Health> {
    return this.control.getHealth();
  }

  reset(): Promise<void> {
    return this.control.resetEmulator();
  }
}

/**
 * Loads the schemas at the first call. An operation rejects with `ControlError` if the emulator rejects it, `NoEmulator`
 * if none responds, `NotAnEmulator` if another program does, and `TypeError` for an unknown name.
 */
function controlCalls(transport: Transport): ControlMethods {
  let loaded: Promise<typeof import('./camel-calls.ts')> | undefined;
  const callOf = (name: string) => async (input?: object) => {
    loaded ??= import('./camel-calls.ts');
    return (await loaded).callInCamelCase(transport, name, input);
  };
  // `await` looks for a method `then`, so a mistaken `await` of the object must not call an operation of that name.
  const isName = (name: string | symbol) => typeof name === 'string' && name !== 'then';
  return new Proxy({} as ControlMethods, { get: (_, name) => (isName(name) ? callOf(String(name)) : undefined) });
}

export class AccountClient {
  readonly id: string;
  readonly workspaceId: string;
  /** The account's key, for the client under test. It cannot be read later. */
  readonly apiKey: string;
  readonly testId: string | undefined;
  /** The fault rules apply to requests of this account only. */
  readonly faults: FaultClient;
  readonly waitFor: WaitClient;
  readonly assertions = new StartedAssertions();
  readonly #calls: ControlMethods;

  constructor(transport: Transport, calls: ControlMethods, opened: OpenedAccount) {
    this.#calls = calls;
    this.id = opened.id;
    this.workspaceId = opened.workspaceId;
    this.apiKey = opened.apiKey;
    this.testId = opened.testId;
    this.faults = new FaultClient(calls, this.id);
    this.waitFor = new WaitClient(transport, this.id);
  }

  async balance(): Promise<number> {
    return (await this.#calls.showAccount({ id: this.id })).credits;
  }

  /** The entries are oldest first, like the jobs, events and deliveries. */
  ledger(): Promise<LedgerEntry[]> {
    return readLedger(this.#calls, this.id);
  }

  /** Reading the jobs does not change them, unlike polling. */
  async jobs(): Promise<AccountJob[]> {
    return (await this.#calls.listJobs({ accountId: this.id })).reverse();
  }

  async events(): Promise<AccountEvent[]> {
    return (await this.#calls.listEvents({ accountId: this.id })).reverse();
  }

  async deliveries(): Promise<AccountDelivery[]> {
    return (await this.#calls.listDeliveries({ accountId: this.id })).reverse();
  }

  usageSummary(): Promise<UsageSummary> {
    return this.#calls.summarizeSpending({ accountId: this.id });
  }

  verdict(): Promise<Verdict> {
    return this.#calls.judgeClient({ accountId: this.id });
  }

  topUp(amount: number): Promise<LedgerEntry> {
    return this.#calls.topUpCredits({ id: this.id, amount });
  }

  /** Changes the plan of the whole workspace. */
  setPlan(plan: Plan): Promise<OperationAnswer<'changeAccount'>> {
    return this.#calls.changeAccount({ id: this.id, plan });
  }

  addKey(): Promise<OperationAnswer<'addKey'>> {
    return this.#calls.addKey({ id: this.id });
  }
}

const PAGE = 1000;

async function readLedger(calls: ControlMethods, id: string): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let after: string | undefined; ; after = entries.at(-1)?.id) {
    const page = await calls.listUsage({ id, limit: PAGE, after });
    entries.push(...page);
    if (page.length < PAGE) return entries.reverse();
  }
}

interface Started {
  name: string;
  isOpen: boolean;
  failure: string | undefined;
  /** True if the assertion rejected with `TypeError`, as for an invalid argument. A test that passes has caught it. */
  isThrown: boolean;
  ended: Promise<void>;
}

/**
 * Notes the assertions of an account. They call the emulator, so a test that does not await one would end first and pass.
 */
class StartedAssertions {
  readonly #started: Started[] = [];

  note<T>(
    name: string,
    running: Promise<T>,
    failureOf: (result: T) => string | undefined = () => undefined,
  ): Promise<T> {
    const started: Started = { name, isOpen: true, failure: undefined, isThrown: false, ended: Promise.resolve() };
    const end = (failure: string | undefined, isThrown = false) => {
      Object.assign(started, { isOpen: false, failure, isThrown });
    };
    started.ended = running.then(
      (result) => end(failureOf(result)),
      (error: Error) => end(error.message, error instanceof TypeError),
    );
    this.#started.push(started);
    return running;
  }

  /**
   * Call this after a test that passed. Returns the reason if an assertion was not awaited, or failed and was not
   * repeated with success.
   */
  async forgotten(): Promise<string | undefined> {
    const open = this.#started.filter(({ isOpen }) => isOpen);
    await Promise.all(open.map(({ ended }) => ended));
    const last = new Map(this.#started.map((each) => [each.name, each]));
    const judged = [...last.values()].filter(({ isThrown }) => !isThrown);
    const failed = [...open, ...judged].find(({ failure }) => failure !== undefined);
    const name = (failed ?? open[0])?.name;
    if (name === undefined) return undefined;
    const found = failed ? ` It failed: ${failed.failure}` : '';
    return `${name} was not awaited. Put await in front of it.${found}`;
  }
}
