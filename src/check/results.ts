import { groupBy } from '../base/text.ts';
import { type Baseline, WHOLE } from './baseline-runs.ts';
import type { ExpectedSuccess } from './faults/expected-success.ts';
import type { Found } from './found.ts';
import type { Scenario } from './plan.ts';

export interface Tried {
  scenario: Scenario;
  /** The tests passed under it. */
  isGood: boolean;
}

/** What a check has found so far. Valid at any time, even after a failure. */
export class CheckResults {
  readonly tried: Tried[] = [];
  readonly findings: Found[] = [];
  /** Failures that passed later. */
  readonly unstable: Found[] = [];
  /** Failures without time for another run. */
  readonly unconfirmed: Found[] = [];
  readonly expected: ExpectedSuccess[] = [];
  /** The number of scenarios that were run. */
  runs = 0;
  /** Undefined until the baseline runs have ended. */
  baseline: Baseline | undefined;
  planned: readonly Scenario[] = [];
  /** The tests that pass although every request fails. They prove nothing. */
  deadTests: readonly string[] = [];
  /** The reason why nothing was tried. */
  stopped: string | undefined;

  /** The kinds of scenarios in the plan. */
  get kinds(): TriedKind[] {
    const isLive = ({ faults }: Scenario) => faults.some(({ at: { test = WHOLE } }) => !this.deadTests.includes(test));
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
  /** The tests passed under one of its scenarios. */
  isGood: boolean;
}
