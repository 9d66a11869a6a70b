import { z } from 'zod';
import { CHECK_IDS, type CheckId } from './checks.ts';
import { spendBaseline } from './spend/spend-baseline.ts';

export const STATES = ['passed', 'failed', 'not_tested', 'not_applicable'] as const;

const count = z.int().min(0);
const checkId = z.enum(CHECK_IDS as [CheckId, ...CheckId[]]);

const test = z.strictObject({
  name: z.string().describe('the titles of the test, as its runner prints them.'),
  file: z.string().optional().describe('from the folder of the run.'),
  line: z.int().min(1).optional(),
});

const checkState = z.strictObject({
  id: checkId,
  state: z.enum(STATES),
  tried: z
    .strictObject({ run: count, of: count })
    .describe('scenarios that were run, and how many there are for this check.'),
  why: z.string().optional().describe('why it was not tested, or how many findings are known or accepted.'),
  next: z.string().optional().describe('the command that would test it.'),
  findings: z.array(z.string()).describe('tokens.'),
});

const finding = z.strictObject({
  token: z.string().describe('for check --replay TOKEN.'),
  check: checkId,
  kind: z.enum(['fault', 'violation', 'spend']),
  title: z.string().describe('what was different.'),
  test: test.optional().describe('the test that failed, or that passed under a violation.'),
  error: z.string().optional().describe('the first line of the error of the test.'),
  happened: z.array(z.string()),
  advice: z.string().describe('how to fix it.'),
  replay: z.string().describe('a command that reproduces it.'),
  state: z
    .enum(['new', 'known', 'accepted'])
    .describe(
      'known: the baseline has it; accepted: an entry of the baseline allows it. Only a new one fails the run.',
    ),
});

const violation = z.strictObject({
  name: z.string().describe('as GET /_emulator/violations lists it.'),
  site: z.string().describe('the operation, event, file or ledger row; empty if no test reaches one.'),
  result: z.enum(['caught', 'missed', 'not_exercised']),
  test: z.string().optional().describe('the test that caught it, or that passed under it.'),
});

const expectedSuccess = z.strictObject({
  test: z.string(),
  fault: z.string().describe('under which the service rightly refuses, or the loss is final.'),
  did: z.string().describe('what the service and the test did.'),
});

/** The report of `svc-emulator check`, as `--report FILE.json` writes it. */
const reportFields = z.strictObject({
  version: z.string(),
  command: z.string(),
  seed: z.int(),
  commit: z.strictObject({ id: z.string(), clean: z.boolean() }).nullable().describe('null outside of Git.'),
  measured: z.strictObject({
    planned: count.describe('kinds of faults, violations at their sites and compatible changes to try.'),
    run: count.describe('those that were tried.'),
    seconds: z.number(),
  }),
  checks: z
    .array(checkState)
    .length(CHECK_IDS.length)
    .refine((checks) => checks.every(({ id }, at) => id === CHECK_IDS[at])),
  findings: z.array(finding),
  violations: z.array(violation),
  expects_success: z.array(expectedSuccess).describe('tests that expect success where it is impossible: not findings.'),
  spend: spendBaseline.omit({ object: true }).nullable().describe('what the baseline run cost.'),
  exit: count,
  error: z.string().optional().describe('what ended the run before its end.'),
});

/** Without its findings a failed check would pass. */
const checkReport = reportFields.refine(({ checks, findings }) =>
  checks.every(({ id, findings: tokens }) =>
    tokens.every((token) => findings.some((each) => each.token === token && each.check === id)),
  ),
);

export type TestPlace = z.infer<typeof test>;
/** Where a test is, as far as that is known. */
export function placeOf({ name, file, line }: Unplaced): TestPlace {
  return { name, ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
}

interface Unplaced {
  name: string;
  file?: string | undefined;
  line?: number | undefined;
}

export type CheckState = z.infer<typeof checkState>;
export type Finding = z.infer<typeof finding>;
export type ViolationResult = z.infer<typeof violation>;
export type CheckReport = z.infer<typeof checkReport>;

/** A report that was written; undefined if it is not one. */
export function readCheckReport(json: unknown): CheckReport | undefined {
  return checkReport.safeParse(json).data;
}

/** The schema of the report for other programs. */
export function checkSchema() {
  return { ...z.toJSONSchema(checkReport), title: 'A report of svc-emulator check' };
}
