import { groupBy } from '../base/text.ts';
import { CHECKS, type Check, type CheckId } from './checks.ts';
import type { FailureFinding } from './failure-finding.ts';
import { isPaidAgain } from './faults/failed-check.ts';
import { severityRank } from './findings.ts';
import { type Finding, toTestLocation } from './report.ts';
import type { CheckResults } from './results.ts';
import { type RunRecord, toFailedTest, type VerdictFinding } from './runner/run-record.ts';
import { type SpendSummary, spendDifferenceLines, summarizeSpend } from './spend.ts';
import { type CheckInvocation, type DecodedToken, encodeToken, formatCheckCommand } from './token.ts';

export interface FindingsInput extends Pick<DecodedToken, 'version' | 'seed'> {
  again: CheckInvocation;
  /** The cost in the baseline file. Undefined if the file does not contain it. */
  spend: SpendSummary | undefined;
}

export type FindingWithoutState = Omit<Finding, 'state'>;

export function makeFindings(
  { findings, baselineFindings: own, baseline }: CheckResults,
  parts: FindingsInput,
): FindingWithoutState[] {
  const [plain] = baseline?.runs ?? [];
  const found = [
    ...findings.toSorted((a, b) => severityRank(a) - severityRank(b)).map(({ finding }) => finding),
    ...own,
    ...(plain ? ofSpend(summarizeSpend(plain.spent), parts) : []),
  ];
  const rank = (id: CheckId) => CHECKS.findIndex((check) => check.id === id);
  return found
    .map((each) => ({ ...each, replay: formatCheckCommand(['--replay', each.token], parts.again) }))
    .sort((a, b) => rank(a.check) - rank(b.check));
}

export function makeFindingsOfBaselineRun(
  record: RunRecord,
  { version, seed }: Pick<DecodedToken, 'version' | 'seed'>,
): FailureFinding['finding'][] {
  const checks: readonly (Check & { id: CheckId })[] = CHECKS;
  const ofApp = record.findings.filter((each) => !isPaidAgainByTest(each, record));
  return [...groupBy(ofApp, ({ finding }) => finding)].flatMap(([finding, all]) => {
    const [first] = all;
    if (!first) return [];
    const check = checks.find(({ codes }) => codes.includes(finding))?.id ?? 'survives-lost-messages';
    const token = encodeToken({ version, seed, check, scene: { kind: 'spend' } });
    const test = record.tests?.find(({ account_ids: ids }) => ids.includes(first.account_id));
    const title = `${finding} in the baseline run`;
    const happened = all.slice(0, MAX_LINES).map(({ message }) => message);
    const place = test && toTestLocation(toFailedTest(test));
    return {
      token,
      also: [],
      check,
      kind: 'fault',
      title,
      ...(place && { test: place }),
      happened,
      advice: first.remedy,
    };
  });
}

/** A test that makes a response get lost may act as a user who asks again, and accepts the cost. */
function isPaidAgainByTest({ finding, request_ids: ids }: VerdictFinding, { requests }: RunRecord): boolean {
  return isPaidAgain({ code: finding }) && requests.some(({ id, fault }) => ids.includes(id) && fault !== undefined);
}

const COST_ADVICE =
  'Look at the operations whose cost changed. If the change is intended, run again with --update-baseline.';

const MAX_LINES = 3;

function ofSpend(now: SpendSummary, { spend, version, seed }: FindingsInput): FailureFinding['finding'][] {
  const difference = spend ? spendDifferenceLines(now, spend) : [];
  if (difference.length === 0) return [];
  const check = 'spend-unchanged';
  const token = encodeToken({ version, seed, check, scene: { kind: 'spend' } });
  const happened = difference.slice(0, MAX_LINES);
  const title = 'the cost of the baseline run changed';
  return [{ token, also: [], check, kind: 'spend', title, happened, advice: COST_ADVICE }];
}
