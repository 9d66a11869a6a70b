import { z } from 'zod';
import { workName } from './print-run-report.ts';
import type { RunReport } from './run-report.ts';

const counts = { charges: z.int(), refunds: z.int(), credits: z.int() };

/** Of a report that an earlier run wrote, what spend is compared by. */
const baselineSchema = z.object({
  object: z.literal('run_report'),
  ...counts,
  by_work: z.array(z.object({ operation: z.string(), model: z.string().nullable(), ...counts })),
  by_account: z.array(z.object({ account: z.string(), ...counts })),
});

export type Baseline = z.output<typeof baselineSchema>;

/** A baseline from the text of its file; undefined when that is no report. */
export function readBaseline(text: string): Baseline | undefined {
  try {
    return baselineSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** "12% more", of a run that cost more than its baseline. */
export function increaseOver({ credits }: { credits: number }, baseline: Baseline): string {
  const more = credits - baseline.credits;
  return baseline.credits === 0 ? `${more} more` : `${Math.round((more / baseline.credits) * 1000) / 10}% more`;
}

/** How the spend of a run differs from the baseline's, a line each; none where it does not. */
export function spendDifference(report: RunReport, baseline: Baseline): string[] {
  const total = changed('in all', report.credits, baseline.credits);
  return [
    ...total,
    ...changes(
      new Map(report.by_work.map((each) => [workName(each), each.credits])),
      new Map(baseline.by_work.map((each) => [workName(each), each.credits])),
    ),
    ...changes(
      new Map(report.by_account.map(({ account, credits }) => [account, credits])),
      new Map(baseline.by_account.map(({ account, credits }) => [account, credits])),
    ),
  ];
}

function changes(now: Map<string, number>, before: Map<string, number>): string[] {
  const names = [...new Set([...now.keys(), ...before.keys()])].sort();
  return names.flatMap((name) => changed(name, now.get(name) ?? 0, before.get(name) ?? 0));
}

function changed(name: string, now: number, before: number): string[] {
  if (now === before) return [];
  const change = now - before;
  return [`${name}: ${before} -> ${now} credits (${change > 0 ? '+' : ''}${change})`];
}
