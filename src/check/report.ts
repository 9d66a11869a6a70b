import { z } from 'zod';
import { CHECK_IDS, type CheckId } from './checks.ts';
import { spendBaselineSchema } from './spend.ts';

export const CHECK_STATES = ['passed', 'failed', 'not_tested', 'not_applicable'] as const;

const count = z.int().min(0);
const checkId = z.enum(CHECK_IDS as [CheckId, ...CheckId[]]);

const test = z.strictObject({
  name: z.string().describe('the titles of the test, as the runner prints them.'),
  file: z.string().optional().describe('the path relative to the folder of the run.'),
  line: z.int().min(1).optional(),
});

const checkState = z.strictObject({
  id: checkId,
  state: z.enum(CHECK_STATES),
  tried: z
    .strictObject({ run: count, of: count })
    .describe('the scenarios that were run, of all scenarios of this check.'),
  why: z
    .string()
    .optional()
    .describe(
      'why the check was not tested; of a passed one, its known or accepted findings; of a failed one, what was not confirmed.',
    ),
  next: z.string().optional().describe('a command that tests the check.'),
  findings: z.array(z.string()).describe('the tokens of the findings.'),
});

const finding = z.strictObject({
  token: z.string().describe('the token for check --replay TOKEN.'),
  also: z.array(z.string()).describe('tokens of other findings of the same cause.'),
  check: checkId,
  kind: z.enum(['fault', 'spend']),
  title: z.string().describe('the fault or the change in spending.'),
  test: test.optional().describe('the test that failed, or that met the fault.'),
  error: z.string().optional().describe('the first line of the error of the test.'),
  happened: z.array(z.string()),
  advice: z.string().optional().describe('how to fix the finding; absent if its cause has no known fix.'),
  replay: z.string().describe('a command that reproduces the finding.'),
  state: z
    .enum(['new', 'known', 'accepted'])
    .describe(
      'known: the baseline contains the finding. accepted: an entry of the baseline accepts it. Only a new finding fails the run.',
    ),
});

const expectedSuccess = z.strictObject({
  test: z.string(),
  fault: z.string().describe('the fault, after which success is impossible.'),
  did: z.string().describe('how the service and the test behaved.'),
});

const reportFields = z.strictObject({
  version: z.string(),
  command: z.string(),
  seed: z.int(),
  commit: z
    .strictObject({ id: z.string(), clean: z.boolean() })
    .nullable()
    .describe('the Git commit of the folder; null outside Git.'),
  shard: z.strictObject({ i: z.int().min(1), n: z.int().min(1) }).describe('the part of the plan; 1 of 1 is all.'),
  measured: z.strictObject({
    planned: count.describe('the kinds of scenarios in the plan: a kind of fault at a kind of site.'),
    run: count.describe('the number that were tried.'),
    seconds: z.number(),
  }),
  checks: z
    .array(checkState)
    .length(CHECK_IDS.length)
    .refine((checks) => checks.every(({ id }, at) => id === CHECK_IDS[at])),
  findings: z.array(finding),
  expects_success: z
    .array(expectedSuccess)
    .describe('tests that expect success although it is impossible; they are not findings.'),
  dead_tests: z.array(z.string()).describe('tests that pass although every request fails; they prove nothing.'),
  spend: spendBaselineSchema.omit({ object: true }).nullable().describe('the cost of the baseline run.'),
  exit: count,
  error: z.string().optional().describe('the error that stopped the run early.'),
});

const checkReport = reportFields.refine(({ checks, findings }) =>
  checks.every(({ id, findings: tokens }) =>
    tokens.every((token) => findings.some((each) => each.token === token && each.check === id)),
  ),
);

export type TestLocation = z.infer<typeof test>;
export function toTestLocation({ name, file, line }: Unplaced): TestLocation {
  return { name, ...(file !== undefined && { file }), ...(line !== undefined && { line }) };
}

interface Unplaced {
  name: string;
  file?: string | undefined;
  line?: number | undefined;
}

export type ReportedCheck = z.infer<typeof checkState>;
export type Finding = z.infer<typeof finding>;
export type CheckReport = z.infer<typeof checkReport>;

/** Undefined if `json` is not a report of `check`. */
export function parseCheckReport(json: unknown): CheckReport | undefined {
  return checkReport.safeParse(json).data;
}

export function makeCheckReportSchema() {
  return { ...z.toJSONSchema(checkReport), title: 'A report of svc-emulator check' };
}
