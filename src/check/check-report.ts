import { z } from 'zod';
import type { ReportCard } from '../control/receiver/report-card.ts';
import type { ExploreReport } from './app/explore-report.ts';
import type { DriftReport } from './service/drift-report.ts';
import type { RunReport } from './spend/run-report.ts';
import type { MutateReport } from './tests/mutate-report.ts';

export const PARTS = ['app', 'tests', 'spend', 'receiver', 'service'] as const;
export type PartName = (typeof PARTS)[number];

export const STATES = ['held', 'broken', 'not_looked_at', 'does_not_apply'] as const;
export type State = (typeof STATES)[number];

const count = z.int().min(0);

const statement = z.strictObject({
  id: z.int().min(1).max(15),
  text: z.string().describe('what the integration does.'),
  state: z.enum(STATES),
  evidence: z.array(z.string()).describe('tokens of findings where it is broken; else what was tried, with counts.'),
  why: z.string().optional().describe('why nothing is known of it, or what is excused.'),
  next: z.string().optional().describe('the command that would look at it.'),
});

const finding = z.strictObject({
  token: z.string().describe('what repeats it: check --again TOKEN.'),
  part: z.enum(PARTS),
  kind: z.string().describe('of app as explore has it; survivor, brittle, spend, receiver, difference.'),
  statement: z.int().min(1).max(15),
  title: z.string().describe('what was different.'),
  happened: z.array(z.string()),
  advice: z.string(),
  again: z.string().describe('a whole command that shows it again.'),
  file: z.string().optional().describe('the test, from the folder of the run.'),
  line: z.int().min(1).optional(),
});

/** Each as its own page has it. */
const part = z.record(z.string(), z.unknown()).optional();

/** The report of `svc-emulator check` as `--report FILE.json` writes it. */
const checkReport = z.strictObject({
  version: z.string(),
  date: z.string().describe('an ISO time.'),
  commit: z.strictObject({ id: z.string(), clean: z.boolean() }).nullable().describe('null outside of Git.'),
  lock: z.string().nullable().describe('SHA-256 of the lock file, in hex; null without one.'),
  command: z.string(),
  seed: z.int(),
  measured: z.strictObject({
    planned: count.describe('kinds of scenarios and lies at their sites that were to be tried.'),
    run: count.describe('those that were tried.'),
    seconds: z.number(),
  }),
  statements: z.array(statement).length(15),
  findings: z.array(finding),
  parts: z.strictObject({ app: part, tests: part, spend: part, receiver: part, service: part }),
  exit: count,
  error: z.strictObject({ exit_code: count, message: z.string() }).optional().describe('what ended the run.'),
});

export type Statement = z.infer<typeof statement>;
export type CheckFinding = z.infer<typeof finding>;

/** What became of each part that was asked for. */
export interface PartReports {
  app?: ExploreReport;
  tests?: MutateReport;
  spend?: RunReport;
  receiver?: ReportCard;
  service?: DriftReport;
}

/** The report with its parts as their own schemas have them. */
export type CheckReport = Omit<z.infer<typeof checkReport>, 'parts'> & { parts: PartReports };

/** A report that was written; undefined for what is none. */
export function readCheckReport(json: unknown): CheckReport | undefined {
  return checkReport.safeParse(json).data as CheckReport | undefined;
}

/** The schema of the report for other programs. */
export function checkSchema() {
  return { ...z.toJSONSchema(checkReport), title: 'A report of svc-emulator check' };
}
