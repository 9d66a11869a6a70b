import { VirtualClock } from '../../base/clock/virtual-clock.ts';
import type { RealTarget } from '../../base/config/real-target.ts';
import { counted } from '../../base/text.ts';
import { accountOf, type CallService, serviceCalls } from '../../control/real-service.ts';
import type { InboxClient } from '../client-parts.ts';
import type { LedgerEntry, OpenedAccount } from '../client-records.ts';
import { AccountClient } from '../emulator-client.ts';
import { realTransport, reasonOf, type Skip } from './real-transport.ts';
import { SuiteClient, type SuiteTest, type TestName } from './suite-client.ts';

/**
 * The client of a suite that runs on the service itself: every account is the one of the key, waits poll, what is spent is
 * read from the balance, and a test that needs more is skipped.
 */
export class RealClient extends SuiteClient {
  override readonly isReal = true;
  readonly #limit: RealTarget['limit'];
  readonly #call: CallService;
  /** Why no further test may begin. */
  #isOver: string | undefined;

  constructor(target: RealTarget) {
    const late: { skip?: Skip } = {};
    const skip: Skip = (reason) => {
      late.skip?.(reason);
      throw new Error(reason);
    };
    const call = serviceCalls(target);
    super(target.url, undefined, realTransport(call, target.key, skip));
    this.#limit = target.limit;
    this.#call = call;
    late.skip = (reason) => this.skipRunning(reason);
  }

  /** With a limit the balance is read first; one that cannot be read counts as spent. */
  override async begin(name: TestName, skip?: Skip): Promise<SuiteTest> {
    if (this.#limit) this.#isOver ??= await this.#spent(this.#limit);
    if (this.#isOver !== undefined) throw new Error(this.#isOver);
    return super.begin(name, skip);
  }

  protected override accountOf(opened: OpenedAccount): AccountClient {
    return new RealAccount(this.transport, this.control, opened);
  }

  override inbox(): InboxClient {
    return this.skipRunning(reasonOf('it receives webhooks, and the service reaches no receiver of this machine'));
  }

  /** Of a limit of 0, tests that cost nothing run. */
  async #spent({ credits, before }: NonNullable<RealTarget['limit']>): Promise<string | undefined> {
    const account = await accountOf(this.#call).catch((error: Error) => error);
    const which = `--max-credits is ${credits}`;
    if (account instanceof Error) return `Not run: ${which}, and the balance cannot be read: ${account.message}`;
    const spent = before - account.credits;
    if (spent < Math.max(credits, 1)) return undefined;
    return `Not run: the run has spent ${counted(spent, 'credit')}, and ${which}.`;
  }
}

/** The one account: its movements of money are what its balance has changed by from look to look. */
class RealAccount extends AccountClient {
  readonly #clock = new VirtualClock();
  readonly #seen: LedgerEntry[] = [];
  #credits: number;

  constructor(...[transport, calls, opened]: ConstructorParameters<typeof AccountClient>) {
    super(transport, calls, opened);
    this.#credits = opened.credits;
  }

  override async movements(): Promise<LedgerEntry[]> {
    const balance = await this.balance();
    const amount = balance - this.#credits;
    this.#credits = balance;
    if (amount !== 0) this.#seen.push(this.#entry(amount, balance));
    return [...this.#seen];
  }

  #entry(amount: number, balance: number): LedgerEntry {
    const unknown = { operation: null, model: null, jobId: null, refundOf: null };
    const created = Math.floor(this.#clock.real() / 1000);
    const id = `balance_${this.#seen.length + 1}`;
    return { ...unknown, id, type: amount < 0 ? 'charge' : 'refund', amount, balance, created } as LedgerEntry;
  }
}
