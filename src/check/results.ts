import { groupBy } from '../base/text.ts';
import { type Baseline, WHOLE_COMMAND } from './baseline-runs.ts';
import type { ExpectedSuccess } from './faults/expected-success.ts';
import type { Found } from './found.ts';
import type { Scenario } from './plan.ts';

export interface Tried {
  scenario: Scenario;
  /** True if the tests passed in this scenario. */
  isGood: boolean;
}

/** What a check has found so far. It is valid at any time, even after a failure. */
export class CheckResults {
  readonly tried: Tried[] = [];
  readonly findings: Found[] = [];
  /** What the verdict says of the baseline run. */
  baselineFindings: readonly Found['finding'][] = [];
  /** Failures that did not recur. */
  readonly unstable: Found[] = [];
  /** Failures that could not be confirmed in time. */
  readonly unconfirmed: Found[] = [];
  readonly expected: ExpectedSuccess[] = [];
  /** The number of runs with scenarios. */
  runs = 0;
  /** Undefined until the baseline runs have ended. */
  baseline: Baseline | undefined;
  planned: readonly Scenario[] = [];
  /** The tests that pass although every request fails, and so prove nothing. */
  deadTests: readonly string[] = [];
  /** Why nothing was tried. Undefined if something was. */
  stopped: string | undefined;

  /** The kinds of scenarios in the plan. */
  get kinds(): TriedKind[] {
    const isLive = ({ faults }: Scenario) =>
      faults.some(({ at: { test = WHOLE_COMMAND } }) => !this.deadTests.includes(test));
    const planned = new Map(this.planned.filter(isLive).map(({ kind, faults }) => [kind, faults[0]?.fault ?? '']));
    const tried = groupBy(
      this.tried.filter(({ scenario }) => isLive(scenario)),
      ({ scenario }) => scenario.kind,
    );
    return [...planned].map(([kind, fault]) => {
      const own = tried.get(kind) ?? [];
      return { fault, isTried: own.length > 0, isGood: own.some(({ isGood }) => isGood) };
    });
  }
}

/** A kind of fault at a kind of site. */
export interface TriedKind {
  fault: string;
  isTried: boolean;
  /** True if the tests passed in one scenario of this kind. */
  isGood: boolean;
}
