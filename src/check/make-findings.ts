import { adviceFor } from './advice.ts';
import { CHECKS, type Check, type CheckId } from './checks.ts';
import { type FaultFinding, severityOf } from './faults/finding-book.ts';
import { wordsOf } from './faults/scenario.ts';
import type { FaultResults } from './faults/search-run.ts';
import type { Finding, TestPlace } from './report.ts';
import { type Baseline, type BaselineSpend, spendDifference } from './spend/spend-baseline.ts';
import { type CommandWords, checkLine, type Replay, writeToken } from './token.ts';

export interface EngineResults {
  faults?: FaultResults | undefined;
  spend?: BaselineSpend | undefined;
}

export interface FindingParts extends Pick<Replay, 'version' | 'seed'> {
  replay: CommandWords;
  spend: Omit<Baseline, 'object'> | undefined;
}

/** A finding before the baseline is applied. */
export type FoundFinding = Omit<Finding, 'state'>;
type Found = Omit<FoundFinding, 'advice' | 'replay'> & { advice?: string | undefined };

export function makeFindings({ faults, spend }: EngineResults, parts: FindingParts): FoundFinding[] {
  const found: Found[] = [
    ...(faults?.findings ?? []).toSorted((a, b) => severityOf(a) - severityOf(b)).map(ofFaults),
    ...(spend ? ofSpend(spend, parts) : []),
  ];
  const rank = (id: CheckId) => CHECKS.findIndex((check) => check.id === id);
  return found
    .map(({ advice, ...each }) => ({
      ...each,
      ...(advice !== undefined && { advice }),
      replay: checkLine(['--replay', each.token], parts.replay),
    }))
    .sort((a, b) => rank(a.check) - rank(b.check));
}

const COST_ADVICE =
  'Look at the operations whose cost changed. If the change is intended, run again with --update-baseline.';

/** The lines of a change of cost that a finding shows. */
const MAX_COST_LINES = 3;

function ofFaults(finding: FaultFinding): Found {
  const { token, also, check, scenario, kind, message, error, test, timeline } = finding;
  const { failed: hasFailed, ...place } = test ?? { failed: false };
  const said = kind === 'exit' && (hasFailed || error !== undefined) ? [] : [message];
  return {
    token,
    also: [...also],
    check,
    kind: 'fault',
    title: scenario.map(wordsOf).join('; '),
    ...(test && { test: place as TestPlace }),
    ...(error !== undefined && { error }),
    happened: [...said, ...timeline],
    advice: adviceFor(finding),
  };
}

function ofSpend(report: BaselineSpend, { spend, version, seed }: FindingParts): Found[] {
  const checks: readonly (Check & { id: CheckId })[] = CHECKS;
  const found = report.findings.map(({ finding, message, remedy }): Found => {
    const check = checks.find(({ codes }) => codes.includes(finding))?.id ?? 'survives-lost-messages';
    const token = writeToken({ version, seed, check, scene: { kind: 'spend' } });
    return {
      token,
      also: [],
      check,
      kind: 'fault',
      title: `${finding} in the baseline run`,
      happened: [message],
      advice: remedy,
    };
  });
  const difference = spend ? spendDifference(report, spend) : [];
  if (difference.length === 0) return found;
  const check = 'spend-unchanged';
  const token = writeToken({ version, seed, check, scene: { kind: 'spend' } });
  const happened = difference.slice(0, MAX_COST_LINES);
  return [
    ...found,
    {
      token,
      also: [],
      check,
      kind: 'spend',
      title: 'the cost of the baseline run changed',
      happened,
      advice: COST_ADVICE,
    },
  ];
}
