import { existsSync } from 'node:fs';
import { readPlainFile } from '../base/config/plain-file.ts';
import { VERSION } from '../base/package/version.ts';
import type { CheckFinding, CheckReport } from './check-report.ts';
import { RunFault } from './runner/runner.ts';
import { type Baseline, baselineIn } from './spend/print-run-report.ts';
import { isAccepted, makeBaseline } from './tests/baseline.ts';
import { type Accepted, type BaselineFile, baselineOf, EMPTY_BASELINE } from './tests/baseline-file.ts';
import { survivorsOf } from './tests/mutate-report.ts';
import { matches } from './tests/mutate-settings.ts';
import { pairKey } from './tests/plan.ts';

/** Where a baseline is looked for. */
export const BASELINE_FILE = 'svc-check.json';

/** A finding that is let pass, with the reason; written by hand. */
interface AcceptedFinding {
  /** Its title, in which `*` is any text, or its token. */
  finding: string;
  why: string;
  until?: string;
}

/** The file of `--baseline`: committed, and written by `--update-baseline`. */
export interface CheckBaseline {
  version: string;
  /** Undefined where no run was counted. */
  spend: Baseline | undefined;
  tests: BaselineFile;
  /** Titles. */
  findings: string[];
  accepted: AcceptedFinding[];
}

/** Reads a baseline; undefined where there is no such file. Throws `RunFault` for what is none. */
export function readCheckBaseline(file: string): CheckBaseline | undefined {
  if (!existsSync(file)) return undefined;
  const value = Object(parsed(file)) as Partial<Record<keyof CheckBaseline, unknown>>;
  // Who writes what is accepted by hand need write nothing else.
  const { accepted = [], findings = [], version = VERSION, tests = EMPTY_BASELINE } = value;
  const hasLists = 'accepted' in value || 'version' in value;
  const isSound = hasLists && typeof version === 'string' && Array.isArray(findings) && findings.every(isText);
  if (!isSound || !Array.isArray(accepted))
    throw unusable(file, 'is no baseline of check: it has no version and lists');
  for (const [at, entry] of accepted.entries()) requireEntry(entry, `accepted[${at}]`, file);
  const lies = accepted.filter((entry) => 'lie' in entry) as Accepted[];
  return {
    version,
    spend: baselineIn(value.spend),
    tests: baselineOf({ version, ...Object(tests), accepted: lies }, file),
    findings,
    accepted: accepted.filter((entry) => 'finding' in entry),
  };
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readPlainFile(file));
  } catch (error) {
    throw unusable(file, `cannot be read: ${Object(error).message}`);
  }
}

function requireEntry(entry: unknown, name: string, file: string): void {
  const { finding, lie, unit, why, until } = Object(entry);
  const isNamed = isText(finding) || (isText(lie) && isText(unit));
  if (!isNamed || !isText(why)) {
    throw unusable(file, `has an entry without a reason: ${name}. Write {"finding", "why"} or {"lie", "unit", "why"}`);
  }
  if (until !== undefined && Number.isNaN(Date.parse(until))) {
    throw unusable(file, `has an entry whose until is no date: ${name}. Write it as 2027-01-31`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function unusable(file: string, what: string): RunFault {
  return new RunFault(`--baseline is ${file}, which ${what}.`);
}

/** Why a finding does not count; undefined where it does. */
export function excuseOf(
  finding: CheckFinding,
  { baseline, report, today }: { baseline: CheckBaseline; report: Pick<CheckReport, 'parts'>; today: string },
): string | undefined {
  const accepted = baseline.accepted.find((each) => isMeant(each, finding) && !isOver(each, today));
  if (accepted) return `accepted: ${accepted.why}`;
  if (baseline.findings.includes(finding.title)) return 'known to the baseline';
  const { tests } = report.parts;
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
  const old = before?.tests ?? { version: report.version, ...EMPTY_BASELINE };
  const left = new Set(tests?.unreached.filter(({ why }) => why !== 'no such road').map(({ lie }) => lie));
  const hasTried = (site: Parameters<typeof pairKey>[0]) => !left.has(site.lie) && !left.has(pairKey(site));
  const { accepted, ...made } = tests ? makeBaseline(tests, { before: old, hasTried }) : old;
  const isLooked = app !== undefined && tests !== undefined;
  const titles = report.findings.filter(({ part }) => part !== 'spend').map(({ title }) => title);
  return {
    version: report.version,
    spend: spend ? spendIn(spend) : before?.spend,
    findings: isLooked ? titles : [...new Set([...(before?.findings ?? []), ...titles])],
    accepted: [...(before?.accepted ?? []), ...accepted],
    tests: { units: made.units, lies: made.lies, families: made.families },
  };
}

function spendIn({ object, charges, refunds, credits, by_work, by_account }: Baseline): Baseline {
  return { object, charges, refunds, credits, by_work, by_account };
}
