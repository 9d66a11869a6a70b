import { z } from 'zod';
import { VERSION } from '../../base/package/version.ts';
import { Attribution } from './attribute.ts';
import { differencesOf } from './compare.ts';
import type { Measured } from './measure.ts';
import { PAID } from './plan.ts';
import { type CaseShape, WHATS } from './shapes.ts';

const OUTCOMES = ['same', 'differs', 'not_measured', 'unused'] as const;

/** A difference, or one row for a case without any. `there` and `here` are types, forms, closed words and prices. */
const result = z.strictObject({
  operation: z.string(),
  case: z.string(),
  outcome: z.enum(OUTCOMES),
  what: z.enum(WHATS),
  path: z.string().optional(),
  there: z.string().optional(),
  here: z.string().optional(),
  /** Neither of the two is new: nothing is known of it here. */
  rule: z.string().optional(),
  choice: z.string().optional(),
});

export const driftReport = z.strictObject({
  version: z.string(),
  against: z.string(),
  measured: z.strictObject({
    planned: z.int(),
    requests: z.int(),
    credits: z.int(),
    balance_before: z.int().nullable(),
    balance_after: z.int().nullable(),
    seconds: z.number(),
  }),
  results: z.array(result),
  exit: z.int(),
  error: z.strictObject({ exit_code: z.int(), message: z.string() }).optional(),
});

export type DriftResult = z.infer<typeof result>;
export type DriftReport = z.infer<typeof driftReport>;

/** How a report ends. */
export const DRIFT_EXIT = { same: 0, differs: 1, nothingMeasured: 3 } as const;

/** What the report of two measurements is made of. */
export interface ReportParts {
  against: string;
  there: Measured;
  /** The emulator's cases, by their names. */
  here: ReadonlyMap<string, CaseShape>;
  isStrict: boolean;
  /** Of a recording each result is there once, with the first entry that has it. */
  isRecorded?: boolean;
  /** Without it every difference counts. */
  isUsed?: IsUsed;
}

/** Whether a client ever meets what a result is about. */
export type IsUsed = (result: DriftResult, isRefusal: boolean) => boolean;

/** Compares both sides, case by case. */
export function makeDriftReport({
  against,
  there,
  here,
  isStrict,
  isRecorded = false,
  isUsed = () => true,
}: ReportParts): DriftReport {
  const attribution = new Attribution();
  const found = there.cases.flatMap((each) => {
    const own = here.get(each.id);
    return resultsOf(each, own, attribution).map((row) => {
      const isUnused = row.outcome === 'differs' && !isUsed(row, (own?.shape?.status ?? 0) >= 400);
      return isUnused ? { ...row, outcome: 'unused' as const } : row;
    });
  });
  const results = [...moneyResults(there), ...(isRecorded ? once(found) : found)];
  const { planned, requests, credits, balanceBefore, balanceAfter, seconds } = there;
  return {
    ...{ version: VERSION, against },
    measured: {
      ...{ planned, requests, credits, seconds: Math.round(seconds * 1000) / 1000 },
      ...{ balance_before: balanceBefore, balance_after: balanceAfter },
    },
    results,
    exit: exitOf(results, there, isStrict),
  };
}

function once(results: readonly DriftResult[]): DriftResult[] {
  const first = new Map<string, DriftResult>();
  for (const each of results) {
    const { operation, outcome, what, path, there, here } = each;
    const key = JSON.stringify([operation, outcome, what, path, there, here]);
    if (!first.has(key)) first.set(key, each);
  }
  return [...first.values()];
}

function resultsOf(there: CaseShape, here: CaseShape | undefined, attribution: Attribution): DriftResult[] {
  const { operation, case: words, shape, not_measured: why } = there;
  const about = { operation, case: words };
  if (!shape) return [{ ...about, outcome: 'not_measured', what: 'status', there: why ?? 'no answer' }];
  if (!here?.shape)
    return [{ ...about, outcome: 'not_measured', what: 'status', here: here?.not_measured ?? 'no answer' }];
  const own = here.shape;
  const differences = differencesOf(there, own).map((each) => ({
    ...about,
    outcome: 'differs' as const,
    ...each,
    ...attribution.of(there, each, own),
  }));
  if (differences.length > 0) return differences;
  const status = String(shape.status);
  return [{ ...about, outcome: 'same', what: 'status', there: status, here: status }];
}

/** What was charged by mistake comes first; then a balance that has moved by something else than what was booked. */
function moneyResults({ loss, balanceBefore, balanceAfter, credits }: Measured): DriftResult[] {
  const money = { outcome: 'differs', what: 'price', path: 'credits', rule: 'R004' } as const;
  const results: DriftResult[] = [];
  if (loss) {
    const { operation, case: words, credits: lost } = loss;
    const case_ = `${words}: not refused, and charged`;
    results.push({ operation, case: case_, ...money, there: `${lost} credits`, here: '0 credits' });
  }
  if (balanceBefore === null || balanceAfter === null || balanceBefore - balanceAfter === credits) return results;
  const about = { operation: 'getAccount', case: 'compares the balance before and after' };
  const [there, here] = [`${balanceBefore - balanceAfter} credits`, `${credits} credits`];
  return [...results, { ...about, ...money, there, here }];
}

function exitOf(results: readonly DriftResult[], { cases }: Measured, isStrict: boolean): number {
  const differing = results.filter(({ outcome }) => outcome === 'differs');
  if (differing.some(({ rule }) => isStrict || rule !== undefined)) return DRIFT_EXIT.differs;
  return isMeasured(cases) ? DRIFT_EXIT.same : DRIFT_EXIT.nothingMeasured;
}

/** Whether a measurement says anything: of at least half of the cases, and of one that is paid where any was to be. */
function isMeasured(cases: readonly CaseShape[]): boolean {
  const measured = cases.filter(({ shape }) => shape !== undefined);
  const isPaid = ({ id }: CaseShape) => PAID_IDS.has(id);
  if (cases.some(isPaid) && !measured.some(isPaid)) return false;
  return measured.length > 0 && measured.length * 2 >= cases.length;
}

const PAID_IDS: ReadonlySet<string> = new Set(PAID.flat().map(({ id }) => id));

/** A report of a run that ended before its comparison. */
export function endedDriftReport(against: string, error: { exit_code: number; message: string }): DriftReport {
  const measured = { planned: 0, requests: 0, credits: 0, balance_before: null, balance_after: null, seconds: 0 };
  return { ...{ version: VERSION, against, measured, results: [] }, exit: error.exit_code, error };
}
