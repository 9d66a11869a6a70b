import { z } from 'zod';
import { grouped } from '../../base/grouped.ts';
import { placeText } from '../../base/text.ts';
import { LIE_FAMILIES } from '../../control/lies/lie-table.ts';
import { bestVerdict, VERDICTS, type Verdict } from './judge-attempt.ts';
import { pairKey } from './plan.ts';

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

/** A lie at one site with the rows of all units at which it was tried. */
export interface LieAtSite {
  key: string;
  lie: string;
  field?: string | undefined;
  family: string;
  site: string;
  verdict: Verdict;
  harm: boolean;
  rows: ReportedLie[];
}

/** Groups rows by lie and site, in their order; the verdict is the best of the units. */
export function bySite(lies: readonly ReportedLie[]): LieAtSite[] {
  return [...grouped(lies, pairKey)].flatMap(([key, rows]): LieAtSite[] => {
    const [first] = rows;
    if (!first) return [];
    const { lie, field, family, site } = first;
    const verdict = bestVerdict(rows);
    const harm = verdict === 'survived' && rows.some((row) => row.harm);
    return [{ key, lie, field, family, site, verdict, harm, rows }];
  });
}

/** What counts as having reached a test: it acted, and something can be said of it. */
const TOLD: readonly Verdict[] = ['noticed', 'survived', 'unread'];

export function isMeasured({ verdict }: { verdict: Verdict }): boolean {
  return TOLD.includes(verdict);
}

/** Lies at their sites by family, in the order of the families. */
export function countFamilies(sites: readonly LieAtSite[]): MutateReport['families'] {
  const measured = sites.filter(isMeasured);
  const counts = LIE_FAMILIES.map((family) => {
    const own = measured.filter((each) => each.family === family);
    return [family, { told: own.length, noticed: own.filter(({ verdict }) => verdict === 'noticed').length }] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count.told > 0));
}

/** Survivors, those that harm first, then as the families come, of each those first for which there is an assertion. */
export function survivorsOf(report: MutateReport): LieAtSite[] {
  const isShown = ({ rows }: LieAtSite) => rows.some(({ assertion }) => assertion !== undefined);
  const rank = (site: LieAtSite) => (site.harm ? 0 : 20) + 2 * familyRank(site.family) + (isShown(site) ? 0 : 1);
  return bySite(report.lies)
    .filter(({ verdict }) => verdict === 'survived')
    .sort((a, b) => rank(a) - rank(b));
}

/** The place of a family in their order. */
export function familyRank(family: string): number {
  return (LIE_FAMILIES as readonly string[]).indexOf(family);
}

/** The names of the units that met a lie at its site and passed. */
export function survivingUnits({ rows }: Pick<LieAtSite, 'rows'>): string[] {
  return rows.filter(({ verdict }) => verdict === 'survived').map(({ unit }) => unit);
}

/** A unit with its file and line, where they are known. */
export function placeOf(name: string, units: readonly ReportedUnit[]): string {
  return name + placeText(units.find((each) => each.name === name));
}

/** What failed under a change that the contract allows. */
export function brittleOf({ liberties }: MutateReport): MutateReport['liberties'] {
  return liberties.filter(({ tolerated }) => !tolerated);
}

/** Lies that have no row in a report, for one reason. */
export function untriedOf({ unreached }: MutateReport, why: MutateReport['unreached'][number]['why']): string[] {
  return unreached.filter((each) => each.why === why).map(({ lie }) => lie);
}
