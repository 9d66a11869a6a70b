import { z } from 'zod';
import { VERSION } from '../base/package/package-folder.ts';
import { matches } from './app/schedule.ts';
import type { CheckFinding, CheckReport, PartReports } from './check-report.ts';
import { baselineText, excuse, readBaseline } from './read-baseline.ts';
import { spendBaseline } from './spend/spend-baseline.ts';
import { acceptedLie, baselineFile, EMPTY_BASELINE, isAccepted, makeBaseline } from './tests/baseline.ts';
import { survivorsOf } from './tests/mutate-report.ts';
import { pairKey } from './tests/plan.ts';

/** Where a baseline is looked for. */
export const BASELINE_FILE = 'svc-check.json';

/** A finding that is let pass, by its title, in which `*` is any text, or by its token; written by hand. */
const acceptedFinding = z.object({ finding: baselineText, ...excuse });

/** The file of `--baseline`: committed, and written by `--update-baseline`. Who writes what is accepted needs nothing else. */
const checkBaseline = z
  .object({
    version: z.string().optional(),
    /** Undefined where no run was counted. */
    spend: spendBaseline.optional(),
    tests: baselineFile.omit({ version: true, accepted: true }).prefault({}),
    /** Titles. */
    findings: z.array(z.string()).default([]),
    accepted: z
      .array(
        z.union([acceptedFinding, acceptedLie], {
          error: 'expected {"finding", "why"} or {"lie", "unit", "why", "until"}',
        }),
      )
      .optional(),
  })
  .refine(({ version, accepted }) => version !== undefined || accepted !== undefined, 'expected version or accepted');

type AcceptedFinding = z.infer<typeof acceptedFinding>;
export type CheckBaseline = ReturnType<typeof sorted>;

/** Reads a baseline; undefined where there is no such file, which `mayLack` has to allow. Throws `RunFault` for what is none. */
export function readCheckBaseline(file: string, mayLack = true): CheckBaseline | undefined {
  const found = readBaseline(file, checkBaseline, mayLack);
  return found && sorted(found);
}

/** What is accepted, for the part that it is of. */
function sorted({ version = VERSION, tests, accepted = [], ...rest }: z.infer<typeof checkBaseline>) {
  const lies = accepted.flatMap((entry) => ('lie' in entry ? [entry] : []));
  const findings = accepted.flatMap((entry) => ('finding' in entry ? [entry] : []));
  return { ...rest, version, tests: { ...tests, version, accepted: lies }, accepted: findings };
}

/** Why a finding does not count; undefined where it does. */
export function excuseOf(
  finding: CheckFinding,
  { baseline, reports: { tests }, today }: { baseline: CheckBaseline; reports: PartReports; today: string },
): string | undefined {
  const accepted = baseline.accepted.find((each) => isMeant(each, finding) && !isOver(each, today));
  if (accepted) return `accepted: ${accepted.why}`;
  if (baseline.findings.includes(finding.title)) return 'known to the baseline';
  const site = finding.kind === 'survivor' && tests && survivorsOf(tests).find(({ key }) => isAbout(finding, key));
  return site && isAccepted(baseline.tests, site, today) ? 'accepted' : undefined;
}

function isAbout({ title }: CheckFinding, key: string): boolean {
  return title.endsWith(`(${key})`);
}

function isMeant({ finding: pattern }: AcceptedFinding, { title, token }: CheckFinding): boolean {
  return pattern === token || matches(pattern, title);
}

function isOver({ until }: AcceptedFinding, today: string): boolean {
  return until !== undefined && until < today;
}

/** A line for each entry that excuses nothing any more. */
export function idleAccepted(
  { accepted }: CheckBaseline,
  { findings, today }: { findings: readonly CheckFinding[]; today: string },
): string[] {
  return accepted
    .filter((each) => isOver(each, today) || !findings.some((finding) => isMeant(each, finding)))
    .map(({ finding }) => `The baseline accepts "${finding}", which excuses nothing any more: remove the entry.`);
}

/** What a report makes the next baseline; what a part did not look at stays as it was. */
export function nextBaseline(report: CheckReport, before: CheckBaseline | undefined): object {
  const { app, tests, spend } = report.parts;
  const old = before?.tests ?? { ...EMPTY_BASELINE, version: report.version };
  const left = new Set(tests?.unreached.filter(({ why }) => why !== 'no such road').map(({ lie }) => lie));
  const hasTried = (site: Parameters<typeof pairKey>[0]) => !left.has(site.lie) && !left.has(pairKey(site));
  const { accepted, ...made } = tests ? makeBaseline(tests, { before: old, hasTried }) : old;
  const isLooked = app !== undefined && tests !== undefined;
  const titles = report.findings.filter(({ part }) => part !== 'spend').map(({ title }) => title);
  return {
    version: report.version,
    spend: spend ? spendBaseline.parse(spend) : before?.spend,
    findings: isLooked ? titles : [...new Set([...(before?.findings ?? []), ...titles])],
    accepted: [...(before?.accepted ?? []), ...accepted],
    tests: { units: made.units, lies: made.lies, families: made.families },
  };
}
