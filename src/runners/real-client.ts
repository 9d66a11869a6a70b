import { InboxClient } from '../client/client-parts.ts';
import type { LedgerEntry, OpenedAccount } from '../client/client-records.ts';
import { AccountClient } from '../client/emulator-client.ts';
import { VirtualClock } from '../clock/clock.ts';
import type { RealTarget } from '../config/real-target.ts';
import { realTransport, reasonOf, type Skip } from './real-transport.ts';
import type { RealWebhooks } from './real-webhooks.ts';
import { SuiteClient, type SuiteTest, type TestEnd } from './suite-client.ts';

const NO_WAY_IN =
  'it receives webhooks, and no public address leads to a receiver of it; SVC_WEBHOOK_URL would name one';

/**
 * The client of a suite that runs on the service itself: every account is the one of the key, waits poll, what is spent is
 * read from the balance, and a test that needs more is skipped.
 */
export class RealClient extends SuiteClient {
  override readonly isReal = true;
  readonly #webhooks: RealWebhooks | undefined;

  /** Without `webhooks` a test that receives them is skipped. */
  constructor(target: RealTarget, webhooks?: RealWebhooks) {
    const late: { skip?: Skip } = {};
    const skip: Skip = (reason) => {
      late.skip?.(reason);
      throw new Error(reason);
    };
    const transport = realTransport(target, skip);
    super(webhooks?.url ?? target.url, undefined, webhooks?.over(transport) ?? transport);
    this.#webhooks = webhooks;
    late.skip = (reason) => this.skipRunning(reason);
  }

  protected override accountOf(opened: OpenedAccount): AccountClient {
    return new RealAccount(this.transport, this.control, opened);
  }

  override inbox(name = 'inbox'): InboxClient {
    if (!this.#webhooks) return this.skipRunning(reasonOf(NO_WAY_IN));
    const { control, waitFor } = this;
    const owner = this.running ?? (this.isIdle ? 'suite' : 'several');
    return new InboxClient({ control, waitFor, url: this.#webhooks.publicUrl }, this.#webhooks.open(name, owner));
  }

  override async end(test: SuiteTest, end: TestEnd): Promise<void> {
    await super.end(test, end);
    await this.#webhooks?.end(test, this.isIdle);
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
