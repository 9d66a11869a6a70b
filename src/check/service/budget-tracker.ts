import { fits } from './budget.ts';
import { NotMeasured } from './http-exchange.ts';
import type { Sender } from './send-request.ts';
import type { ReceivedAnswer } from './shape-of.ts';
import type { Fact } from './shapes.ts';

/** What one measurement has spent, and what the account has left. */
export class BudgetTracker {
  readonly #sender: Sender;
  readonly #limit: number;
  booked = 0;
  /** Undefined while it is unknown. */
  balance: number | undefined;
  /** The balance before the first paid request. */
  before: number | null = null;
  /** Why no further request is sent that is to be refused: one was charged, or may have been. */
  noRefusals: string | undefined;
  /** What was accepted by mistake cannot be known to have cost. */
  #isHidden = false;

  constructor(sender: Sender, limit: number) {
    this.#sender = sender;
    this.#limit = limit;
  }

  /** Whether the balance was known, and is after all that was accepted by mistake. */
  get isReadable(): boolean {
    return this.before !== null && !this.#isHidden;
  }

  /** Whether a request of this price may be sent: not while the balance is unknown. */
  allows(price: number): boolean {
    return this.isReadable && fits(this.#limit, this.booked, price);
  }

  open(credits: number): void {
    this.before = credits;
    this.balance = credits;
  }

  /**
   * Looks what a request has cost that was to be refused and was not: the balance says it, whatever the answer says, and
   * where that cannot be read at most the catalogue's price, which is `risk`. Answers the loss in credits.
   */
  async bookAccepted({ json }: ReceivedAnswer, risk: number): Promise<{ credits: number; isCertain: boolean }> {
    const { balance } = this;
    const now = await this.#read();
    const said = creditsIn(Object(Object(json).usage).credits_spent) ?? 0;
    const isCertain = balance !== undefined && now !== null;
    const credits = Math.max(said, isCertain ? balance - now : risk);
    this.booked += credits;
    if (!isCertain) this.noRefusals = 'a refusal was accepted, and the balance could not be read';
    else if (credits > 0) this.noRefusals = 'a refusal was charged before';
    this.#isHidden ||= !isCertain;
    return { credits, isCertain };
  }

  /** The balance in the end; null where it cannot be read, or was not before. */
  async end(): Promise<number | null> {
    return this.before === null ? null : this.#read();
  }

  /** Books what an answer was charged, and answers it; undefined for what is free. `price` is that of the plan. */
  async book({ status, json }: ReceivedAnswer, price: number | undefined): Promise<number | undefined> {
    const { credits_spent, credits_remaining: left } = Object(Object(json).usage);
    const said = creditsIn(credits_spent);
    if (said !== undefined) {
      this.booked += Math.max(said, this.#taken(left));
      if (this.balance !== undefined) this.balance -= said;
      return said;
    }
    if (price === undefined || status >= 300) return undefined;
    const spent = await this.#lost(price);
    this.booked += spent;
    return spent;
  }

  /** Whether a failed job's credits are back when it is seen to have failed; books them. */
  async refundFact(charged: number): Promise<Fact[]> {
    const { balance } = this;
    const now = await this.#read();
    if (balance === undefined || now === null || Number.isNaN(charged)) return [];
    // Nothing but what was charged comes back: what is added meanwhile is no room in the budget.
    this.booked += Math.max(balance - now, -charged);
    const is = now - balance === charged ? 'there once the job has failed' : 'not there once the job has failed';
    return [{ what: 'events', path: 'refund', is }];
  }

  /** What the balance in an answer has lost, whatever the answer says that it cost. */
  #taken(left: unknown): number {
    const { balance } = this;
    return balance === undefined ? 0 : balance - (balanceIn(left) ?? balance);
  }

  /** Books a request without an answer: what the balance has lost, or its price where that cannot be read. */
  async bookLost(price: number): Promise<void> {
    const lost = await this.#lost(price);
    this.booked += lost;
  }

  async #lost(price: number): Promise<number> {
    const { balance } = this;
    const now = await this.#read();
    if (balance === undefined || now === null) return price;
    // One that has grown hides what was charged.
    return now > balance ? price : balance - now;
  }

  async #read(): Promise<number | null> {
    const answer = await this.#sender.send({ method: 'GET', path: '/v1/account' }, {}).catch(noneOf);
    const credits = balanceIn(Object(answer?.json).credits);
    if (answer?.status !== 200 || credits === undefined) return null;
    this.balance = credits;
    return credits;
  }
}

/** A balance, which may be below zero. */
export function balanceIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}

/** What an answer says that it was charged. */
function creditsIn(value: unknown): number | undefined {
  const credits = balanceIn(value);
  return credits === undefined || credits < 0 ? undefined : credits;
}

function noneOf(error: unknown): undefined {
  if (error instanceof NotMeasured) return undefined;
  throw error;
}
