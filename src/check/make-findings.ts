import { CHECKS, type Check, type CheckId } from './checks.ts';
import { severityOf } from './findings.ts';
import type { Finding } from './report.ts';
import type { CheckResults } from './results.ts';
import { type Spending, spendDifference, spendOf } from './spend.ts';
import { type CommandWords, checkCommandLine, type Replay, writeToken } from './token.ts';

export interface FindingParts extends Pick<Replay, 'version' | 'seed'> {
  again: CommandWords;
  /** What the tests cost in the run of the baseline file. */
  spend: Spending | undefined;
}

/** A finding before the baseline file is applied. */
export type FoundFinding = Omit<Finding, 'state'>;

export function makeFindings({ findings, baseline }: CheckResults, parts: FindingParts): FoundFinding[] {
  const [plain] = baseline?.runs ?? [];
  const found = [
    ...findings.toSorted((a, b) => severityOf(a) - severityOf(b)).map(({ finding }) => finding),
    ...(plain?.record.findings ?? []).map((each) => ofBaseline(each, parts)),
    ...(plain ? ofSpend(spendOf(plain.spent), parts) : []),
  ];
  const rank = (id: CheckId) => CHECKS.findIndex((check) => check.id === id);
  return found
    .map((each) => ({ ...each, replay: checkCommandLine(['--replay', each.token], parts.again) }))
    .sort((a, b) => rank(a.check) - rank(b.check));
}

type Unnumbered = Omit<FoundFinding, 'replay'>;

/** The findings of the verdict on the baseline run. */
function ofBaseline(
  { finding, message, remedy }: { finding: string; message: string; remedy: string },
  { version, seed }: FindingParts,
): Unnumbered {
  const checks: readonly (Check & { id: CheckId })[] = CHECKS;
  const check = checks.find(({ codes }) => codes.includes(finding))?.id ?? 'survives-lost-messages';
  const token = writeToken({ version, seed, check, scene: { kind: 'spend' } });
  const title = `${finding} in the baseline run`;
  return { token, also: [], check, kind: 'fault', title, happened: [message], advice: remedy };
}

const COST_ADVICE =
  'Look at the operations whose cost changed. If the change is intended, run again with --update-baseline.';

/** How many lines of a changed cost a finding shows. */
const MAX_COST_LINES = 3;

function ofSpend(now: Spending, { spend, version, seed }: FindingParts): Unnumbered[] {
  const difference = spend ? spendDifference(now, spend) : [];
  if (difference.length === 0) return [];
  const check = 'spend-unchanged';
  const token = writeToken({ version, seed, check, scene: { kind: 'spend' } });
  const happened = difference.slice(0, MAX_COST_LINES);
  const title = 'the cost of the baseline run changed';
  return [{ token, also: [], check, kind: 'spend', title, happened, advice: COST_ADVICE }];
}
