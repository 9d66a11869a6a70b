import { groupBy } from '../base/text.ts';
import { type BaselineRuns, WHOLE_COMMAND_TEST_NAME } from './baseline-runs.ts';
import type { FailureFinding } from './failure-finding.ts';
import type { FailedTestExpectingSuccess } from './faults/expected-success.ts';
import type { Scenario } from './plan.ts';

export interface TriedScenario {
  scenario: Scenario;
  /** `unmet` if the tests passed, but nothing met one of the faults. */
  outcome: (typeof OUTCOMES)[number];
}

export class CheckResults {
  readonly tried: TriedScenario[] = [];
  readonly findings: FailureFinding[] = [];
  baselineFindings: readonly FailureFinding['finding'][] = [];
  readonly unstable: FailureFinding[] = [];
  readonly unconfirmed: FailureFinding[] = [];
  readonly expected: FailedTestExpectingSuccess[] = [];
  baseline: BaselineRuns | undefined;
  planned: readonly Scenario[] = [];
  deadTests: readonly string[] = [];
  /** The message of the `CannotRunError` that stopped the runs. Undefined if there was none. */
  stopped: string | undefined;

  get kinds(): ScenarioKindResult[] {
    const isLive = ({ faults }: Scenario) =>
      faults.some(({ at: { test = WHOLE_COMMAND_TEST_NAME } }) => !this.deadTests.includes(test));
    const planned = new Map(this.planned.filter(isLive).map(({ kind, faults }) => [kind, faults[0]?.fault ?? '']));
    const tried = groupBy(
      this.tried.filter(({ scenario }) => isLive(scenario)),
      ({ scenario }) => scenario.kind,
    );
    return [...planned].map(([kind, fault]) => {
      const outcomes = tried.get(kind)?.map(({ outcome }) => outcome) ?? [];
      const best = OUTCOMES.find((outcome) => outcomes.includes(outcome));
      return { kind, fault, outcome: best, isTried: best === 'passed' || best === 'failed' };
    });
  }
}

/** The outcomes of scenarios, the best first. The best outcome of a kind of scenario counts for the kind. */
const OUTCOMES = ['passed', 'failed', 'unmet'] as const;

export interface ScenarioKindResult {
  kind: string;
  fault: string;
  outcome: TriedScenario['outcome'] | undefined;
  isTried: boolean;
}
