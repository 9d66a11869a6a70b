import type { Suffering } from './effects/effect-row.ts';
import { type Effect, effectKind, rowOf } from './effects/effect-table.ts';
import { type FaultRule, strikesTakes } from './fault-rule.ts';
import type { AppliedFault, TakeFault } from './struck.ts';

/** Of many rules that fit, what becomes of one request: at each place the first one that fits strikes. */
export class Strike {
  /** The rules that struck, in their order. */
  readonly rules: FaultRule[] = [];
  readonly #takes: number;
  readonly #claimed = new Map<string, FaultRule>();

  constructor(takes: number) {
    this.#takes = takes;
  }

  /** Whether a rule has answered the request by itself: nothing else strikes it. */
  get isOver(): boolean {
    return this.rules.some(({ kind }) => rowOf(kind).ends);
  }

  /** Those of the takes that no earlier rule has struck in the same way; a rule that answers the request comes first or never. */
  free(rule: FaultRule, takes: readonly number[]): number[] {
    if (rowOf(rule.kind).ends && this.rules.length > 0) return [];
    return takes.filter((take) => !this.#claimed.has(placeOf(rule, take)));
  }

  claim(rule: FaultRule, takes: readonly number[]): void {
    this.rules.push(rule);
    for (const take of takes) this.#claimed.set(placeOf(rule, take), rule);
  }

  /** What strikes before the work. */
  get met(): FaultRule | undefined {
    return this.rules.find(({ kind }) => rowOf(kind).meet !== undefined);
  }

  /** What the work suffers; nothing where all was done before it. */
  suffered(): AppliedFault | undefined {
    const rules = this.rules.filter(({ kind }) => rowOf(kind).suffer !== undefined);
    if (rules.length === 0) return undefined;
    const appliedFault: AppliedFault = { rules: rules.map(({ id }) => id).filter(Boolean), units: this.#units() };
    for (const rule of rules) {
      const { unit: _unit, ...whole } = sufferingOf(rule);
      Object.assign(appliedFault, whole);
    }
    return appliedFault;
  }

  #units(): TakeFault[] {
    const units: TakeFault[] = Array.from({ length: this.#takes }, () => ({}));
    for (const [place, rule] of this.#claimed) {
      const { unit } = sufferingOf(rule);
      const at = takeOf(place);
      const before = units[at];
      if (!unit || !before) continue;
      units[at] = { ...before, ...unit };
      if (before.faults && unit.faults) units[at].faults = { ...before.faults, ...unit.faults };
    }
    return units;
  }
}

/** What one effect does to a request that somebody chose for it. */
export function strikeOf(effect: Effect, { takes }: { takes: number }): Strike {
  const strike = new Strike(takes);
  const rule = { ...NOBODYS, effect, kind: effectKind(effect) };
  strike.claim(rule, takesOf(rule, takes));
  return strike;
}

/** An effect without a rule: nothing is counted, and nothing given back. */
const NOBODYS = { position: 0, id: '', match: {}, times: 1, strikes: 0, probability: 1, expires: null, created: 0 };

/** Which takes a rule strikes, counted from 0: where it strikes none by itself, the first stands for the whole. */
export function takesOf(rule: FaultRule, takes: number): number[] {
  if (!strikesTakes(rule)) return [0];
  const all = Array.from({ length: takes }, (_, at) => at);
  const { take } = rule.match;
  return take === undefined ? all : all.filter((at) => at === take - 1);
}

function sufferingOf({ kind, effect }: FaultRule): Suffering {
  return rowOf(kind).suffer?.(effect) ?? {};
}

function placeOf({ kind }: FaultRule, take: number): string {
  return `${take} ${rowOf(kind).layer}`;
}

function takeOf(place: string): number {
  return Number.parseInt(place, 10);
}
