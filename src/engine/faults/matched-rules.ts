import type { AppliedFault, TakeFault } from './applied-fault.ts';
import type { FaultChange } from './effects/effect-row.ts';
import { type Effect, effectKind, effectRowOf } from './effects/effect-table.ts';
import { isPerTake } from './fault-rule.ts';
import type { FaultRule } from './fault-store.ts';

/** The first matching rule in each layer of each take. */
export class MatchedRules {
  readonly rules: FaultRule[] = [];
  readonly #takes: number;
  readonly #claimed = new Map<string, FaultRule>();

  constructor(takes: number) {
    this.#takes = takes;
  }

  get isOver(): boolean {
    return this.rules.some(({ kind }) => effectRowOf(kind).ends);
  }

  /**
   * The takes without an earlier rule in the same layer. A rule that is itself the response must be first, except for a
   * compatible change, which takes the place of nothing.
   */
  free(rule: FaultRule, takes: readonly number[]): number[] {
    const isTaken = this.rules.some(({ kind }) => effectRowOf(kind).layer !== 'change');
    if (effectRowOf(rule.kind).ends && isTaken) return [];
    return takes.filter((take) => !this.#claimed.has(keyOf(rule, take)));
  }

  claim(rule: FaultRule, takes: readonly number[]): void {
    this.rules.push(rule);
    for (const take of takes) this.#claimed.set(keyOf(rule, take), rule);
  }

  get beforeWork(): FaultRule | undefined {
    return this.rules.find(({ kind }) => effectRowOf(kind).beforeWork !== undefined);
  }

  /** Undefined if all effects act before the work. */
  appliedFault(): AppliedFault | undefined {
    const rules = this.rules.filter(({ kind }) => effectRowOf(kind).changes !== undefined);
    if (rules.length === 0) return undefined;
    const appliedFault: AppliedFault = { rules: rules.map(({ id }) => id).filter(Boolean), takes: this.#takeFaults() };
    for (const rule of rules) {
      const { take: _take, ...whole } = changeOf(rule);
      Object.assign(appliedFault, whole);
    }
    return appliedFault;
  }

  #takeFaults(): TakeFault[] {
    const faults: TakeFault[] = Array.from({ length: this.#takes }, () => ({}));
    for (const [key, rule] of this.#claimed) {
      const { take } = changeOf(rule);
      const at = Number.parseInt(key, 10);
      const before = faults[at];
      if (!take || !before) continue;
      faults[at] = { ...before, ...take };
      if (before.faults && take.faults) faults[at].faults = { ...before.faults, ...take.faults };
    }
    return faults;
  }
}

/** An effect that a user chose at a release. It counts no rule. */
export function ruleOfRelease(effect: Effect, { takes }: { takes: number }): MatchedRules {
  const matched = new MatchedRules(takes);
  const rule = { ...WITHOUT_RULE, effect, kind: effectKind(effect) };
  matched.claim(rule, takesUnderRule(rule, takes));
  return matched;
}

const WITHOUT_RULE = {
  position: 0,
  id: '',
  accountId: null,
  match: {},
  times: 1,
  applied: 0,
  probability: 1,
  expires: null,
  created: 0,
};

/** From 0. The first take stands for the whole request. */
export function takesUnderRule(rule: FaultRule, takes: number): number[] {
  if (!isPerTake(rule)) return [0];
  const all = Array.from({ length: takes }, (_, at) => at);
  const { take } = rule.match;
  return take === undefined ? all : all.filter((at) => at === take - 1);
}

function changeOf({ kind, effect }: FaultRule): FaultChange {
  return effectRowOf(kind).changes?.(effect) ?? {};
}

function keyOf({ kind }: FaultRule, take: number): string {
  return `${take} ${effectRowOf(kind).layer}`;
}
