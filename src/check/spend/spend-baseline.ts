import { z } from 'zod';
import type { WireAnswer } from '../../control/call-operation.ts';

const counts = { charges: z.int(), refunds: z.int(), credits: z.int() };

/** The part of a report that is compared between runs. Credits are net of refunds. */
export const spendBaseline = z.object({
  object: z.literal('run_report'),
  ...counts,
  by_work: z.array(z.object({ operation: z.string(), model: z.string().nullable(), ...counts })),
  /** Accounts with the same name count as one, because each test creates its own. */
  by_account: z.array(z.object({ account: z.string(), ...counts })),
});

export type Baseline = z.output<typeof spendBaseline>;
export interface BaselineSpend extends Omit<Baseline, 'object'> {
  findings: WireAnswer<'judgeClient'>['findings'];
}

export type SpendCounts = Pick<Baseline, keyof typeof counts>;

export function workName({ operation, model }: Baseline['by_work'][number]): string {
  return model === null ? operation : `${operation} ${model}`;
}

export function increaseOver({ credits }: { credits: number }, baseline: Baseline): string {
  const more = credits - baseline.credits;
  return baseline.credits === 0 ? `${more} more` : `${Math.round((more / baseline.credits) * 1000) / 10}% more`;
}

type Compared = Omit<Baseline, 'object'>;
type Spent = readonly (readonly [name: string, credits: number])[];

export function spendDifference(report: Compared, baseline: Compared): string[] {
  const ofWork = ({ by_work }: Compared): Spent => by_work.map((each) => [workName(each), each.credits]);
  const ofAccounts = ({ by_account }: Compared): Spent => by_account.map(({ account, credits }) => [account, credits]);
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
    return is === was ? [] : [`${name}: ${was} -> ${is} credits (${is > was ? '+' : ''}${is - was})`];
  });
}
