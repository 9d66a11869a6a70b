import { z } from 'zod';
import { countWithNoun, groupBy } from '../base/text.ts';

const counts = { charges: z.int(), refunds: z.int(), credits: z.int() };

/** Credits are net of refunds. */
export const spendBaselineSchema = z.object({
  object: z.literal('run_report'),
  ...counts,
  by_work: z.array(z.object({ operation: z.string(), model: z.string().nullable(), ...counts })),
  /** Accounts with the same name count as one. */
  by_account: z.array(z.object({ account: z.string(), ...counts })),
});

export type SpendBaseline = z.output<typeof spendBaselineSchema>;
export type SpendCounts = Pick<SpendBaseline, keyof typeof counts>;

export function formatOperationAndModel({ operation, model }: SpendBaseline['by_work'][number]): string {
  return model === null ? operation : `${operation} ${model}`;
}

export function describeSpendIncrease({ credits }: { credits: number }, baseline: SpendBaseline): string {
  const more = credits - baseline.credits;
  return baseline.credits === 0 ? `${more} more` : `${Math.round((more / baseline.credits) * 1000) / 10}% more`;
}

export type SpendSummary = Omit<SpendBaseline, 'object'>;
type Spent = readonly (readonly [name: string, credits: number])[];

export function spendDifferenceLines(report: SpendSummary, baseline: SpendSummary): string[] {
  const ofWork = ({ by_work }: SpendSummary): Spent =>
    by_work.map((each) => [formatOperationAndModel(each), each.credits]);
  const ofAccounts = ({ by_account }: SpendSummary): Spent =>
    by_account.map(({ account, credits }) => [account, credits]);
  return [
    ...changes([['in all', report.credits]], [['in all', baseline.credits]]),
    ...changes(ofWork(report), ofWork(baseline)),
    ...changes(ofAccounts(report), ofAccounts(baseline)),
  ];
}

function changes(spent: Spent, spentBefore: Spent): string[] {
  const [now, before] = [new Map(spent), new Map(spentBefore)];
  const names = [...new Set([...now.keys(), ...before.keys()])].sort();
  return names.flatMap((name) => {
    const [is, was] = [now.get(name) ?? 0, before.get(name) ?? 0];
    return is === was ? [] : [`${name}: ${was} -> ${countWithNoun(is, 'credit')} (${is > was ? '+' : ''}${is - was})`];
  });
}

export interface SpendRow {
  accountId: string;
  name: string;
  operation: string;
  model: string | null;
  charges: number;
  refunds: number;
  credits: number;
}

const UNNAMED = '(without a name)';

export function summarizeSpend(rows: readonly SpendRow[]): SpendSummary {
  return {
    ...total(rows),
    by_work: groups(rows, ({ operation, model }) => `${operation} ${model ?? ''}`).map(
      ([{ operation, model }, counts]) => ({ operation, model, ...counts }),
    ),
    by_account: groups(rows, accountName).map(([row, counts]) => ({ account: accountName(row), ...counts })),
  };
}

function accountName({ accountId, name }: SpendRow): string {
  return name === '' || name === accountId ? UNNAMED : name;
}

function total(rows: readonly SpendRow[]) {
  const sum = (name: 'charges' | 'refunds' | 'credits') => rows.reduce((all, row) => all + row[name], 0);
  return { charges: sum('charges'), refunds: sum('refunds'), credits: sum('credits') };
}

function groups(rows: readonly SpendRow[], keyOf: (row: SpendRow) => string) {
  const inOrder = [...groupBy(rows, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1));
  return inOrder.flatMap(([, own]) => own.slice(0, 1).map((first) => [first, total(own)] as const));
}
