import { AccountClient } from '../client/account-client.ts';
import type { InboxClient } from '../client/client-parts.ts';
import type { LedgerEntry, OpenedAccount } from '../client/client-records.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { RealTarget } from '../config/real-target.ts';
import { realTransport, reasonOf, type Skip } from './real-transport.ts';
import { SuiteClient } from './suite-client.ts';

/**
 * The client of a suite that runs on the service itself: every account is the one of the key, waits poll, what is spent is
 * read from the balance, and a test that needs more is skipped.
 */
export class RealClient extends SuiteClient {
  override readonly isReal = true;

  constructor(target: RealTarget) {
    const late: { skip?: Skip } = {};
    const skip: Skip = (reason) => {
      late.skip?.(reason);
      throw new Error(reason);
    };
    super(target.url, undefined, realTransport(target, skip));
    late.skip = (reason) => this.skipRunning(reason);
  }

  protected override accountOf(opened: OpenedAccount): AccountClient {
    return new RealAccount(this.transport, this.control, opened);
  }

  override inbox(): InboxClient {
    return this.skipRunning(reasonOf('it receives webhooks, and no public address leads to a receiver of it'));
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
