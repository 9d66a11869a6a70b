import type { Failure, FailureKind } from './oracles.ts';
import type { Pair } from './pair-trails.ts';
import type { RunDrawing } from './run-drawing.ts';
import { entryKey, keyOf, type Schedule } from './schedule.ts';
import { kindOf } from './search-order.ts';
import type { Difference } from './state-differences.ts';

/** A schedule under which the story fails, in its smallest form. */
export interface Finding {
  token: string;
  schedule: Schedule;
  kind: FailureKind;
  message: string;
  /** In what its state is not that of the nearest undisturbed run, where that is what failed. */
  differences?: readonly Difference[];
  /** How many schedules shrank to it. */
  seen: number;
  /** The last of what the story printed. */
  output: string;
  /** What happened, line by line. */
  trail: readonly string[];
  /** The same beside an undisturbed run of the same outcome. */
  pairs: readonly Pair[];
  /** The failing run as it is drawn. */
  drawing: RunDrawing;
}

/** A schedule that failed once and stood another time. */
export interface Unstable extends Finding {
  /** Of three runs. */
  failed: number;
  /** What was not the same. */
  differed: string;
}

/** Findings, each once. */
export class FindingBook {
  readonly findings: Finding[] = [];
  readonly unstable: Unstable[] = [];

  /**
   * Whether a failing schedule only repeats a finding, which then counts it: its own contains it, or one of the same kind
   * at steps of the same name.
   */
  repeats(schedule: Schedule, failures: readonly Failure[]): boolean {
    const same = this.#same(schedule, failures);
    if (same) same.seen += 1;
    return same !== undefined;
  }

  /** The same, without being counted. */
  has(schedule: Schedule, failures: readonly Failure[]): boolean {
    return this.#same(schedule, failures) !== undefined;
  }

  #same(schedule: Schedule, failures: readonly Failure[]): Finding | undefined {
    const kinds = new Set(failures.map(({ kind }) => kind));
    const keys = new Set(schedule.map(entryKey));
    const mark = kindOf(schedule);
    return this.findings.find(
      (each) =>
        kinds.has(each.kind) &&
        (each.schedule.every((entry) => keys.has(entryKey(entry))) || kindOf(each.schedule) === mark),
    );
  }

  add(finding: Finding): Finding {
    const same = this.findings.find(
      (each) =>
        keyOf(each.schedule) === keyOf(finding.schedule) ||
        (each.kind === finding.kind && kindOf(each.schedule) === kindOf(finding.schedule)),
    );
    if (same) {
      same.seen += finding.seen;
      return same;
    }
    this.findings.push(finding);
    return finding;
  }

  addUnstable(unstable: Unstable): void {
    const same = this.unstable.find((each) => kindOf(each.schedule) === kindOf(unstable.schedule));
    if (same) same.seen += 1;
    else this.unstable.push(unstable);
  }
}
