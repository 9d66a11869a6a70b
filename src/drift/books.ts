import { Budget } from './budget.ts';
import { NotMeasured } from './http-exchange.ts';
import type { Sender } from './send-request.ts';
import type { ReceivedAnswer } from './shape-of.ts';
import type { Fact } from './shapes.ts';

/** What one measurement has spent, and what the account has left. */
export class Books {
  readonly #sender: Sender;
  readonly #budget: Budget;
  /** Undefined while it is unknown. */
  balance: number | undefined;
  /** The balance before the first paid request. */
  before: number | null = null;
  /** A request that is to be refused was charged: no other such one is sent. */
  isRefusalCharged = false;

  constructor(sender: Sender, limit: number) {
    this.#sender = sender;
    this.#budget = new Budget(limit);
  }

  get booked(): number {
    return this.#budget.booked;
  }

  /** Whether a request of this price may be sent: not while nobody knows what the account has. */
  allows(price: number): boolean {
    return this.before !== null && this.#budget.allows(price);
  }

  open(credits: number): void {
    this.before = credits;
    this.balance = credits;
  }

  /** The balance in the end; null where it cannot be read, or was not before. */
  async end(): Promise<number | null> {
    return this.before === null ? null : this.#read();
  }

  /** Books what an answer was charged, and answers it; undefined for what is free. `price` is that of the plan. */
  async book({ status, json }: ReceivedAnswer, price: number | undefined): Promise<number | undefined> {
    const { credits_spent: said, credits_remaining: left } = Object(Object(json).usage);
    if (typeof said === 'number' && Number.isSafeInteger(said)) {
      this.isRefusalCharged ||= price === undefined && said > 0;
      this.#budget.book(Math.max(said, this.#taken(left)));
      if (this.balance !== undefined) this.balance -= said;
      return said;
    }
    if (price === undefined || status >= 300) return undefined;
    const spent = await this.#lost(price);
    this.#budget.book(spent);
    return spent;
  }

  /** Whether a failed job's credits are back when it is seen to have failed; books them. */
  async refundFact(charged: number): Promise<Fact[]> {
    const { balance } = this;
    const now = await this.#read();
    if (balance === undefined || now === null || Number.isNaN(charged)) return [];
    this.#budget.book(balance - now);
    const is = now - balance === charged ? 'there once the job has failed' : 'not there once the job has failed';
    return [{ what: 'events', path: 'refund', is }];
  }

  /** What the balance in an answer has lost, whatever the answer says that it cost. */
  #taken(left: unknown): number {
    const { balance } = this;
    return balance === undefined || typeof left !== 'number' ? 0 : balance - left;
  }

  /** Books a request without an answer: what the balance has lost, or its price where that cannot be read. */
  async bookLost(price: number): Promise<void> {
    this.#budget.book(await this.#lost(price));
  }

  async #lost(price: number): Promise<number> {
    const { balance } = this;
    const now = await this.#read();
    return balance === undefined || now === null ? price : balance - now;
  }

  async #read(): Promise<number | null> {
    const answer = await this.#sender.send({ method: 'GET', path: '/v1/account' }, {}).catch(noneOf);
    const credits: unknown = Object(answer?.json).credits;
    if (answer?.status !== 200 || typeof credits !== 'number') return null;
    this.balance = credits;
    return credits;
  }
}

function noneOf(error: unknown): undefined {
  if (error instanceof NotMeasured) return undefined;
  throw error;
}
