import { counted } from '../log/log.ts';
import { affordable, RESERVE } from './budget.ts';
import { FREE, PAID, type PlannedCase } from './plan.ts';

/** The plan with its prices by the specification, as far as a budget goes. */
export function printPlan(budget: number): string {
  const { groups, sum } = affordable(PAID, [], budget);
  const left = PAID.filter((group) => !groups.includes(group));
  return [
    `Free: ${counted(FREE.length, 'request')}`,
    ...FREE.map(lineOf),
    '',
    `Paid: ${counted(sum, 'credit')} of ${budget}; ${RESERVE} are kept back, as a price may be higher than its specification says`,
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
