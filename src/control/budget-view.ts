import { z } from 'zod';
import { unixSeconds } from '../clock/clock.ts';
import type { StoredBudget } from '../ledger/budget-store.ts';

/** What an account may spend: credits; `refused` are the requests that would have exceeded it, times are unix seconds. */
export const budgetRecord = z.strictObject({
  credits: z.int(),
  spent: z.int(),
  left: z.int(),
  refused: z.int(),
  refused_at: z.int().nullable(),
  since: z.int(),
});

export type BudgetRecord = z.infer<typeof budgetRecord>;

/** Null for an account that has none. */
export function budgetView(budget: StoredBudget | undefined): BudgetRecord | null {
  if (!budget) return null;
  const { credits, spent, refused, refusedAt, created } = budget;
  return {
    credits,
    spent,
    left: credits - spent,
    refused,
    refused_at: refusedAt === null ? null : unixSeconds(refusedAt),
    since: unixSeconds(created),
  };
}
