import { counted } from '../../base/counted.ts';
import { FREE, isDear, PAID } from './plan.ts';
import type { PlannedCase } from './planned-case.ts';

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

/** The credits of one run: what may be spent, and what was. */
export class Budget {
  readonly #limit: number;
  booked = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a request of this price could not pass the budget. */
  allows(price: number): boolean {
    return this.booked + price + RESERVE <= this.#limit;
  }

  /** Books what the balance has lost, or has got back. */
  book(credits: number): void {
    this.booked += credits;
  }
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
      if (fits) budget.book(sumOf(group));
      return fits;
    });
  return { groups: chosen, sum: budget.booked };
}

/** What is free and is sent with a budget: of refusals those that it could pay where they are accepted. */
export function freeWith(limit: number): readonly PlannedCase[] {
  const budget = new Budget(limit);
  return FREE.filter((each) => !isDear(each) || budget.allows(each.risk ?? 0));
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
