import { z } from 'zod';
import { systemErrorCode } from '../base/errors.ts';
import { readPlainFile } from '../base/files/plain-file.ts';
import { maskWordsWithDigits } from '../base/output/output-line.ts';
import { rewordIssueMessage } from '../base/schemas.ts';
import { describeSystemError } from '../base/system-error.ts';
import { distinct, tryParseJson } from '../base/text.ts';
import { describeFaults } from './faults/fault-at.ts';
import type { CheckReport, Finding } from './report.ts';
import { CannotRunError } from './runner/runner.ts';
import { matchesPattern } from './selection.ts';
import { spendBaselineSchema } from './spend.ts';
import { decodeToken } from './token.ts';

export const BASELINE_FILE = 'svc-check.json';

const text = z.string({ error: 'expected a text' }).regex(/\S/, 'expected a text');
const day = z.iso.date('expected a date such as 2027-01-31');

/** An entry of `accepted`, which users write into the baseline file. `*` in `finding` and `check` matches any text. */
const acceptedEntry = z
  .strictObject({
    finding: text.optional().describe('the title or the token of a finding.'),
    check: text.optional(),
    test: text.optional(),
    why: text,
    until: day.optional().describe('the last day on which the entry applies.'),
  })
  .refine(({ finding, check }) => [finding, check].filter(Boolean).length === 1, 'expected one of finding and check');

const baselineFile = z.strictObject({
  version: z.string().optional(),
  spend: spendBaselineSchema.omit({ object: true }).optional(),
  findings: z.array(z.strictObject({ check: z.string(), title: z.string(), test: z.string().optional() })).default([]),
  accepted: z.array(acceptedEntry).default([]),
});

type Accepted = z.infer<typeof acceptedEntry>;
export type CheckBaseline = z.infer<typeof baselineFile>;

export function readCheckBaseline(file: string, mayLack = true): CheckBaseline | undefined {
  return readBaselineFile(file, baselineFile, mayLack);
}

/**
 * Returns undefined if the file is missing and `mayLack` is true. Throws `CannotRunError` if the file is unreadable,
 * invalid, or missing without `mayLack`.
 */
export function readBaselineFile<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  mayLack = true,
): z.infer<Schema> | undefined {
  const text = textOf(file);
  if (text === undefined && mayLack) return undefined;
  if (text === undefined) throw unusable(file, 'does not exist. Create it with --update-baseline');
  const json = tryParseJson(text);
  if (json === undefined) throw unusable(file, `is not valid JSON. ${REMEDY}`);
  const { success, data, error } = schema.safeParse(json);
  if (success) return data;
  const [issue] = error.issues;
  const place = issue?.path.length ? `${z.core.toDotPath(issue.path)}: ` : '';
  throw unusable(file, `is not a baseline: ${place}${rewordIssueMessage(issue?.message)}. ${REMEDY}`);
}

const REMEDY = 'Fix it, or write a new one with --update-baseline';

function textOf(file: string): string | undefined {
  try {
    return readPlainFile(file);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined;
    throw unusable(file, `cannot be read: ${describeSystemError(error)}`);
  }
}

function unusable(file: string, what: string): CannotRunError {
  return new CannotRunError(`--baseline is ${file}, which ${what}.`);
}

type Excusable = Pick<Finding, 'token' | 'also' | 'check' | 'title' | 'test'>;

function partsOf(finding: Excusable): Excusable[] {
  const others = finding.also.flatMap((token) => {
    const scene = decodeToken(token)?.scene;
    if (scene?.kind !== 'fault') return [];
    return { token, also: [], check: finding.check, title: describeFaults(scene.faults) };
  });
  return distinct([finding, ...others], ({ title }) => maskWordsWithDigits(title));
}

/**
 * `accepted` if the baseline accepts the finding and all of `also`. `known` if it accepts or contains each of them.
 * Otherwise `new`. `today` is a date such as 2027-01-31.
 */
export function findingState(
  finding: Excusable,
  baseline: CheckBaseline | undefined,
  today: string,
): { state: Finding['state']; why?: string } {
  const parts = partsOf(finding);
  const excuses = parts.map((part) =>
    baseline?.accepted.find((each) => isAccepted(each, part) && !isOver(each, today)),
  );
  const rest = parts.filter((_, at) => excuses[at] === undefined);
  if (rest.length === 0) return { state: 'accepted', ...(excuses[0] && { why: excuses[0].why }) };
  const isKnown = rest.every((part) => baseline?.findings.some((row) => isRowOf(row, part)));
  return isKnown ? { state: 'known', why: 'the baseline has it' } : { state: 'new' };
}

/** If the row or the finding has no test, their titles may differ in words with digits, such as `#2`. */
function isRowOf({ check, title, test }: CheckBaseline['findings'][number], finding: Excusable): boolean {
  if (check !== finding.check) return false;
  if (test !== undefined && finding.test !== undefined) return title === finding.title && test === finding.test.name;
  return maskWordsWithDigits(title) === maskWordsWithDigits(finding.title);
}

function isAccepted({ finding: title, check, test }: Accepted, finding: Excusable): boolean {
  if (test !== undefined && test !== finding.test?.name) return false;
  if (title !== undefined) return title === finding.token || matchesPattern(title, finding.title);
  return check !== undefined && matchesPattern(check, finding.check);
}

function isOver({ until }: Accepted, today: string): boolean {
  return until !== undefined && until < today;
}

export function staleEntryLines({ accepted }: CheckBaseline, findings: readonly Excusable[], today: string): string[] {
  const parts = findings.flatMap(partsOf);
  const idle = accepted.filter((entry) => isOver(entry, today) || !parts.some((each) => isAccepted(entry, each)));
  return idle.map((entry) => {
    const { finding, check, until } = entry;
    const why = isOver(entry, today) ? `expired on ${until}` : 'matches nothing';
    return `The accepted entry "${finding ?? check}" ${why}: remove it from the baseline.`;
  });
}

export function makeUpdatedBaseline(
  report: CheckReport,
  before: CheckBaseline | undefined,
  isWhole: boolean,
): CheckBaseline {
  const findings = report.findings.filter(({ kind, state }) => kind !== 'spend' && state !== 'accepted');
  const rows = findings
    .flatMap(partsOf)
    .map(({ check, title, test }) => ({ check, title, ...(test && { test: test.name }) }));
  const olderRows = isWhole ? [] : (before?.findings ?? []);
  const spend = report.spend ?? before?.spend;
  return {
    version: report.version,
    ...(spend && { spend }),
    findings: distinct([...rows, ...olderRows]),
    accepted: before?.accepted ?? [],
  };
}
