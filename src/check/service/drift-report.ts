import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { grouped } from '../../base/grouped.ts';
import { type Choice, readChoices } from '../../base/package/choice-table.ts';
import { fixtureFolder, VERSION } from '../../base/package/package-folder.ts';
import { type Difference, differencesOf, type IsUsed } from './compare.ts';
import type { Measured } from './measure.ts';
import { PAID } from './plan.ts';
import { type AnswerShape, type CaseShape, WHATS, type What } from './shapes.ts';

/** Of `fixtures/drift-rules.json`: whose differences belong to which rule or choice; the first row that fits counts. */
interface RuleRow {
  id: string;
  operations: readonly string[];
  what?: readonly What[];
  /** Dotted; one that ends in `**` is everything below. */
  paths?: readonly string[];
  /** The last word of a case's name. */
  cases?: readonly string[];
  /** Of refusals, or of answers that are none. */
  error?: boolean;
  /** Of the refusal here. */
  codes?: readonly string[];
}

/** One difference, with all by which a rule or a choice is found for it. */
interface Met {
  operation: string;
  /** The last word of the case's name. */
  name: string;
  difference: Difference;
  here: AnswerShape;
}

/** What a difference touches: a rule of the specification, a choice of the emulator, or neither. */
type Attribution = (met: Met) => Pick<DriftResult, 'rule' | 'choice'>;

function attribution(): Attribution {
  const rules: RuleRow[] = JSON.parse(readFileSync(path.join(fixtureFolder(), 'drift-rules.json'), 'utf8'));
  const choices = readChoices();
  return (met) => {
    const { id } = rules.find((row) => fits(row, met)) ?? touching(choices, met) ?? {};
    if (id === undefined) return {};
    return id.startsWith('C') ? { choice: id } : { rule: id };
  };
}

/** The choice that names the field, or the code of the refusal, of this operation rather than of any. */
function touching(choices: readonly Choice[], { operation, difference: { what, path: at }, here }: Met) {
  const field = at?.split('.').findLast((step) => step !== '*') ?? '';
  const codes = here.fields['error.code']?.words ?? [];
  const named = choices.filter(({ touches: { fields, codes: own } }) => {
    return fields.includes(field) || (what === 'status' && own.some((code) => codes.includes(code)));
  });
  return [operation, '*'].flatMap((each) => named.filter(({ touches }) => touches.operations.includes(each)))[0];
}

function fits(
  { operations, what, paths, cases, error, codes }: RuleRow,
  { operation, name, difference, here }: Met,
): boolean {
  if (!operations.includes(operation) && !operations.includes('*')) return false;
  if (what && !what.includes(difference.what)) return false;
  if (cases && !cases.includes(name)) return false;
  const isError = here.status >= 400;
  if (codes && !codes.includes(here.fields['error.code']?.words?.[0] ?? '')) return false;
  if (error !== undefined ? error !== isError : isError && !cases) return false;
  return paths === undefined || paths.some((each) => isBelow(difference.path ?? '', each));
}

function isBelow(at: string, pattern: string): boolean {
  return pattern.endsWith('**') ? at.startsWith(pattern.slice(0, -2)) : at === pattern;
}

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

/** Compares both sides, case by case. */
export function makeDriftReport({
  against,
  there,
  here,
  isStrict,
  isRecorded = false,
  isUsed = () => true,
}: ReportParts): DriftReport {
  const touched = attribution();
  const found = there.cases.flatMap((each) => {
    const own = here.get(each.id);
    return resultsOf(each, own, touched).map((row) => {
      const isUnused = row.outcome === 'differs' && !isUsed(row, (own?.shape?.status ?? 0) >= 400);
      return isUnused ? { ...row, outcome: 'unused' as const } : row;
    });
  });
  const results = [...moneyResults(there), ...(isRecorded ? once(found) : found)];
  const { planned, requests, credits, balanceBefore, balanceAfter, seconds } = there;
  return {
    version: VERSION,
    against,
    measured: {
      planned,
      requests,
      credits,
      seconds: Math.round(seconds * 1000) / 1000,
      balance_before: balanceBefore,
      balance_after: balanceAfter,
    },
    results,
    exit: exitOf(results, there, isStrict),
  };
}

function once(results: readonly DriftResult[]): DriftResult[] {
  const same = grouped(results, ({ case: _words, ...found }) => JSON.stringify(found));
  return [...same.values()].flatMap(([first]) => first ?? []);
}

function resultsOf(there: CaseShape, here: CaseShape | undefined, touched: Attribution): DriftResult[] {
  const { id, operation, case: words, shape, not_measured: why = 'no answer' } = there;
  const about = { operation, case: words };
  const missed = { ...about, outcome: 'not_measured', what: 'status' } as const;
  if (!shape) return [{ ...missed, there: why }];
  if (!here?.shape) return [{ ...missed, here: here?.not_measured ?? 'no answer' }];
  const own = here.shape;
  const name = id.split(' ').at(-1) ?? '';
  const differences = differencesOf(there, own).map((difference) => ({
    ...{ ...about, outcome: 'differs' as const, ...difference },
    ...touched({ operation, name, difference, here: own }),
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
    const { operation, case: words, credits: lost, isCertain } = loss;
    const how = isCertain
      ? 'charged'
      : 'perhaps charged: the balance cannot be read, so its catalogue price is counted';
    const there = `${lost} credits${isCertain ? '' : ' by the catalogue'}`;
    results.push({ operation, case: `${words}: not refused, and ${how}`, ...money, there, here: '0 credits' });
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
  return { version: VERSION, against, measured, results: [], exit: error.exit_code, error };
}
