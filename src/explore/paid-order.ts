import type { Numbering } from './number-requests.ts';
import { readSteps } from './read-steps.ts';
import type { RunRecord } from './run-record.ts';

/** The names of the steps that were charged, in the order in which they were: those of one account come together. */
export function paidOrder(record: RunRecord, numbering: Numbering): string[] {
  const places = new Map(record.ledger.map(({ id }, at) => [id, at]));
  const firstCharge = new Map(record.requests.map(({ id, charges: [charge = ''] }) => [id, places.get(charge)]));
  const { steps } = readSteps(record, numbering);
  return steps
    .flatMap(({ name, ref }) => {
      const at = ref === undefined ? undefined : firstCharge.get(ref);
      return at === undefined ? [] : [{ name, at }];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/** Whether what both have came in another order: of requests that a client sends at the same time any may be the first. */
export function isOtherOrder(one: readonly string[], other: readonly string[]): boolean {
  const common = one.filter((name) => other.includes(name));
  return common.join('\n') !== other.filter((name) => one.includes(name)).join('\n');
}
