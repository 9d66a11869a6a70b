import { counted } from '../log/log.ts';
import { FREE, PAID } from './plan.ts';
import type { PlannedCase } from './planned-case.ts';

/**
 * What a price may be above the one that is known before, in credits: neither the specification nor the published list
 * binds what a service charges, so that this much of a budget is kept back until known prices have proven right.
 */
export const RESERVE = 10;
/** So many different prices were charged as known, and none otherwise: then the known ones are believed. */
const PROOF = 4;

/** A model as `GET /v1/models` lists it. */
export interface PublishedPrice {
  id: string;
  kind: string;
  pricing: string;
}

/** A price before it is charged. */
export interface KnownPrice {
  /** What it is asked for: a model, or an operation that has none. */
  of: string;
  credits: number;
}

/** The credits of one run: what may be spent, and what was. */
export class Budget {
  readonly #limit: number;
  readonly #proven = new Map<string, number>();
  #isWrong = false;
  booked = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a request of this price could not pass the budget, as far as its price is to be believed. */
  allows(price: number): boolean {
    return this.booked + price + this.#reserveFor(price) <= this.#limit;
  }

  /** Books what the balance has lost, or has got back. */
  book(credits: number): void {
    this.booked += credits;
  }

  /** Books what a price has turned out to be; none was known of what is to cost nothing. */
  charge(known: KnownPrice | undefined, credits: number): void {
    this.booked += credits;
    this.#isWrong ||= credits !== (known?.credits ?? 0);
    if (known) this.#proven.set(known.of, known.credits);
  }

  /** Small prices that are right say little of a much larger one. */
  #reserveFor(price: number): number {
    const highest = Math.max(...this.#proven.values());
    const isBelieved = !this.#isWrong && this.#proven.size >= PROOF && price <= 2 * highest;
    return isBelieved ? 0 : RESERVE;
  }
}

/** What a case is charged, as far as it is known before; undefined for what is free. */
export function knownPrice(planned: PlannedCase, models: readonly PublishedPrice[]): KnownPrice | undefined {
  if (planned.price === undefined) return undefined;
  return { of: planned.published?.model ?? planned.operation, credits: priceOf(planned, models) };
}

/** The price of a case: by the specification, or the published one where that is higher. */
export function priceOf({ price = 0, published }: PlannedCase, models: readonly PublishedPrice[]): number {
  if (!published) return price;
  const model = published.model === ENGINE ? cheapestEngine(models) : models.find(({ id }) => id === published.model);
  const [, credits] = published.price.exec(model?.pricing ?? '') ?? [];
  if (credits === undefined) return price;
  return Math.max(price, Number(credits.replaceAll(',', '')) * (published.units ?? 1));
}

const ENGINE = '{engine}';

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
  const budget = new Budget(limit);
  const sumOf = (group: readonly PlannedCase[]) => group.reduce((sum, each) => sum + priceOf(each, models), 0);
  const chosen = groups
    .toSorted((a, b) => sumOf(a) - sumOf(b))
    .filter((group) => {
      const fits = budget.allows(sumOf(group));
      for (const each of fits ? group : []) budget.charge(knownPrice(each, models), priceOf(each, models));
      return fits;
    });
  return { groups: chosen, sum: budget.booked };
}

/** The plan with its prices by the specification, as far as a budget goes. */
export function printPlan(budget: number): string {
  const { groups, sum } = affordable(PAID, [], budget);
  const left = PAID.filter((group) => !groups.includes(group));
  return [
    `Free: ${counted(FREE.length, 'request')}`,
    ...FREE.map(lineOf),
    '',
    `Paid: ${counted(sum, 'credit')} of ${budget}; ${RESERVE} are kept back until ${PROOF} prices were charged as they are known`,
    ...groups.flat().map(lineOf),
    ...(left.length > 0 ? ['', 'Beyond the budget', ...left.flat().map(lineOf)] : []),
    '',
    'Nothing was sent.',
    '',
  ].join('\n');
}

function lineOf({ operation, case: words, price, request }: PlannedCase): string {
  const cost = price === undefined ? '   ' : String(price).padStart(3);
  return `  ${cost}  ${operation.padEnd(20)} ${words.padEnd(56)} ${request.method} ${request.path}`;
}
