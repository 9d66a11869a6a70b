import { z } from 'zod';
import { VERDICTS } from './judge-attempt.ts';

const NOTICED_BY = ['assertion', 'error', 'refused', 'timeout'] as const;
const WHY = ['no such road', 'left (budget)', 'skipped'] as const;

const count = z.int().min(0);

/** Hashes of what a unit asked for, and of its test file, by which a change of either is seen. */
export const unitMarks = z.strictObject({ requests: z.string(), file: z.string() });

const unit = z.strictObject({
  name: z.string().describe('the full path of its titles, or the command.'),
  file: z.string().optional().describe('its test file, from the folder of the run.'),
  line: z.int().min(1).optional(),
  ms: z.number().min(0).describe('its shortest time in the baseline run.'),
  sites: z.array(z.string()).describe('the sites of the contract that it met in the baseline run.'),
  marks: unitMarks
    .optional()
    .describe('hashes of what it asked for and of its test file, by which a baseline sees a change.'),
});

export const lie = z.strictObject({
  lie: z.string().describe('a name of GET /_emulator/lies.'),
  field: z.string().optional().describe('of field.*: the dotted path of the field.'),
  family: z.string(),
  site: z.string().describe('where it acted.'),
  unit: z.string().describe('the name of the unit that met it.'),
  verdict: z.enum(VERDICTS),
  harm: z.boolean().describe('the app did something else than in the baseline run, and no test failed.'),
  by: z.enum(NOTICED_BY).optional().describe('what noticed it.'),
  output: z
    .string()
    .optional()
    .describe(
      'what the unit failed with, at most its last 2,000 characters; of a survivor, that there was no time to run it alone.',
    ),
  assertion: z
    .string()
    .optional()
    .describe('a line for the test, which passes in the baseline run and fails under the lie.'),
  remembered: z.boolean().optional().describe('true: from the baseline, not from this run.'),
});

const liberty = z.strictObject({ liberty: z.string(), unit: z.string(), tolerated: z.boolean() });

/** The report of `svc-emulator mutate` as `--report FILE.json` writes it. */
export const mutateReport = z.strictObject({
  version: z.string(),
  command: z.string(),
  seed: z.int(),
  measured: z.strictObject({
    planned: count.describe('lies at their sites that were to reach a test.'),
    told: count.describe('those that reached a test, and of which something can be said.'),
    runs: count,
    seconds: z.number(),
    placebos: z
      .strictObject({ run: count, noticed: count })
      .describe('units or runs without a lie, among those with one.'),
  }),
  control: z
    .strictObject({ requests: count, passed_dead: z.array(z.string()) })
    .describe('the run with the service dead, and the units that made requests in the baseline run and passed there.'),
  units: z.array(unit),
  lies: z.array(lie).describe('a row for each unit at which a lie was tried.'),
  liberties: z.array(liberty),
  unreached: z.array(z.strictObject({ lie: z.string(), why: z.enum(WHY) })).describe('lies that have no row.'),
  families: z
    .record(z.string(), z.strictObject({ told: count, noticed: count }))
    .describe('lies at their sites: at how many they reached a test, and at how many of those a unit noticed.'),
  exit: count,
  error: z.strictObject({ exit_code: count, message: z.string() }).optional(),
});

export type MutateReport = z.infer<typeof mutateReport>;
export type UnitMarks = z.infer<typeof unitMarks>;
export type ReportedUnit = z.infer<typeof unit>;
/** A lie at a site, tried at a unit. */
export type ReportedLie = z.infer<typeof lie>;

/** The schema of the report for other programs. */
export function reportSchema() {
  return { ...z.toJSONSchema(mutateReport), title: 'A report of svc-emulator mutate' };
}
