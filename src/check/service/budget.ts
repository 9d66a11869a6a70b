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
