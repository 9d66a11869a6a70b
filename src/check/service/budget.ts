import { counted } from '../../base/text.ts';
import { FREE, isDear, PAID, type PlannedCase } from './plan.ts';
import type { Sender } from './send-request.ts';
import type { Fact, ReceivedAnswer } from './shapes.ts';

/**
 * What a price may be above the one that is known before, in credits: neither the specification nor the published list
 * binds what a service charges, so that this much of a budget is kept back.
 */
export const RESERVE = 10;

/** A model as `GET /v1/models` lists it. */
export interface PublishedPrice {
  id: string;
  kind: string;
  pricing: string;
}

/** Whether a request of this price could not pass a budget of which so much is booked. */
export function fits(limit: number, booked: number, price: number): boolean {
  return booked + price + RESERVE <= limit;
}

/** The price of a case: by the specification, or the published one where that is higher. */
export function priceOf(
  { price = 0, model, per = FIRST, units = 1 }: PlannedCase,
  models: readonly PublishedPrice[],
): number {
  const published = model === ENGINE ? cheapestEngine(models) : models.find(({ id }) => id === model);
  const [, credits] = per.exec(published?.pricing ?? '') ?? [];
  return credits === undefined ? price : Math.max(price, Number(credits.replaceAll(',', '')) * units);
}

const FIRST = /^([\d,]+) credits?\b/;
/** Stands for the engine whose clips are the cheapest. */
export const ENGINE = '{engine}';

/** The third-party engine with the lowest published rate. */
export function cheapestEngine(models: readonly PublishedPrice[]): PublishedPrice | undefined {
  const rated = models.flatMap((model) => {
    const [, rate] = /^([\d,]+) credits? per second/.exec(model.pricing) ?? [];
    return rate === undefined ? [] : [{ model, rate: Number(rate.replaceAll(',', '')) }];
  });
  return rated.toSorted((a, b) => a.rate - b.rate)[0]?.model;
}

/** Groups of paid cases, the cheapest first, as far as a budget goes; the sum is in credits, without the reserve. */
export function affordable(
  groups: readonly (readonly PlannedCase[])[],
  models: readonly PublishedPrice[],
  limit: number,
): { groups: (readonly PlannedCase[])[]; sum: number } {
  let sum = 0;
  const sumOf = (group: readonly PlannedCase[]) => group.reduce((sum, each) => sum + priceOf(each, models), 0);
  const chosen = groups
    .toSorted((a, b) => sumOf(a) - sumOf(b))
    .filter((group) => {
      const hasRoom = fits(limit, sum, sumOf(group));
      if (hasRoom) sum += sumOf(group);
      return hasRoom;
    });
  return { groups: chosen, sum };
}

/** What is free and is sent with a budget: of refusals those that it could pay where they are accepted. */
export function freeWith(limit: number): readonly PlannedCase[] {
  return FREE.filter((each) => !isDear(each) || fits(limit, 0, each.risk ?? 0));
}

/** The plan with its prices by the specification, as far as a budget goes. */
export function printPlan(budget: number): string {
  const { groups, sum } = affordable(PAID, [], budget);
  const free = freeWith(budget);
  const left = [
    ...FREE.filter((each) => !free.includes(each)),
    ...PAID.filter((group) => !groups.includes(group)).flat(),
  ];
  return [
    `Free: ${counted(free.length, 'request')}`,
    ...free.map(lineOf),
    '',
    `Paid: ${counted(sum, 'credit')} of ${budget}; ${RESERVE} are kept back, as a service may charge more than its prices say`,
    ...groups.flat().map(lineOf),
    ...(left.length > 0 ? ['', 'Beyond the budget', ...left.map(lineOf)] : []),
    '',
    'Nothing was sent.',
    '',
  ].join('\n');
}

function lineOf({ operation, case: words, price, request }: PlannedCase): string {
  const cost = price === undefined ? '   ' : String(price).padStart(3);
  return `  ${cost}  ${operation.padEnd(20)} ${words.padEnd(56)} ${request.method} ${request.path}`;
}

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
    return price === undefined || status >= 300 ? undefined : this.bookLost(price);
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

  /** Books a request of which no answer says what it cost: what the balance has lost, or its price where that cannot be read. */
  async bookLost(price: number): Promise<number> {
    const { balance } = this;
    const now = await this.#read();
    // One that has grown hides what was charged.
    const lost = balance === undefined || now === null || now > balance ? price : balance - now;
    this.booked += lost;
    return lost;
  }

  async #read(): Promise<number | null> {
    const answer = await this.#sender.sendIfMeasured({ method: 'GET', path: '/v1/account' });
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
