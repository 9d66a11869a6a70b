import { groupBy } from '../base/text.ts';
import { type Baseline, WHOLE_COMMAND_TEST_NAME } from './baseline-runs.ts';
import type { FailureFinding } from './failure-finding.ts';
import type { TestExpectingSuccess } from './faults/expected-success.ts';
import type { Scenario } from './plan.ts';

export interface TriedScenario {
  scenario: Scenario;
  /** What the tests did; `unmet` if they passed because nothing met a fault of the scenario. */
  outcome: (typeof OUTCOMES)[number];
}

/** What a check has found so far. It is valid at any time, even after a failure. */
export class CheckResults {
  readonly tried: TriedScenario[] = [];
  readonly findings: FailureFinding[] = [];
  /** What the verdict says of the baseline run. */
  baselineFindings: readonly FailureFinding['finding'][] = [];
  /** Failures that did not occur in each of the runs that should confirm them. */
  readonly unstable: FailureFinding[] = [];
  /** Failures that could not be confirmed in time. */
  readonly unconfirmed: FailureFinding[] = [];
  readonly expected: TestExpectingSuccess[] = [];
  /** Undefined until the baseline runs have ended. */
  baseline: Baseline | undefined;
  planned: readonly Scenario[] = [];
  /** The tests that pass although every request fails, and so prove nothing. */
  deadTests: readonly string[] = [];
  /** Why the command prevents further runs. Undefined if it does not. */
  stopped: string | undefined;

  /** The kinds of scenarios in the plan, without those at tests that prove nothing. */
  get kinds(): FaultKindResult[] {
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

/** The outcomes of a kind of scenarios, the best first. */
const OUTCOMES = ['passed', 'failed', 'unmet'] as const;

/** The results for one kind of fault at one kind of site. */
export interface FaultKindResult {
  kind: string;
  fault: string;
  /** The best outcome of its scenarios. Undefined if none was tried. */
  outcome: TriedScenario['outcome'] | undefined;
  /** True if something met a fault of one of its scenarios. */
  isTried: boolean;
}
