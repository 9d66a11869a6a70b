import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import type { StoredBudget } from '../ledger/budget-store.ts';

/** A budget as it is shown: credits; times in unix seconds. */
export const budgetShape = z.strictObject({
  credits: z.int(),
  spent: z.int(),
  left: z.int(),
  refused: z.int(),
  refused_at: z.int().nullable(),
  since: z.int(),
});

/** Null for an account that has none. */
export function budgetView(budget: StoredBudget | undefined): z.input<typeof budgetShape> | null {
  if (!budget) return null;
  const { credits, spent, refused, refusedAt, created } = budget;
  return {
    ...{ credits, spent, left: credits - spent, refused },
    refused_at: refusedAt === null ? null : unixSeconds(refusedAt),
    since: unixSeconds(created),
  };
}
