import type { FaultMatch, FaultRule } from '../../engine/faults/fault-rule.ts';
import type { Occasion } from './lie.ts';

/** A lie or a liberty that a run arms: it acts until the next call of `arm`, whatever the suite does. */
export interface ArmedLie {
  /** Under which `told` reports it. */
  id: string;
  /** The name of a lie of `GET /_emulator/lies`, or of a liberty. */
  lie: string;
  /** Of `field.*`: a dotted path, in which `*` stands for every index of an array. */
  field?: string;
  /** The one site at which it acts, as `reached` names it; without it all of them. */
  site?: string;
  /** Whose requests it changes: those of one account, or of all accounts of a unit; without both, everybody's. */
  account_id?: string;
  unit?: string;
}

/** A lie that may act: armed by a run, or a fault rule made by hand. */
export interface ActiveLie {
  readonly id: string;
  readonly lie: string;
  readonly field: string | undefined;
  readonly site: string | undefined;
  readonly accountId: string | undefined;
  readonly unit: string | undefined;
  readonly match: FaultMatch;
  /** The rule that was made by hand. */
  readonly rule: FaultRule | undefined;
  /** How often it may still act. */
  left: number;
  /** How often it could act, by account: for `match.nth`. */
  readonly seen: Map<string, number>;
  /** What it remembers of an account. */
  readonly memory: Map<string, number>;
}

type Given = Pick<ActiveLie, 'id' | 'lie' | 'field' | 'site' | 'accountId' | 'unit' | 'match'>;

export function active(given: Given, rule?: FaultRule): ActiveLie {
  const left = !rule || rule.times === 0 ? Number.POSITIVE_INFINITY : rule.times - rule.strikes;
  return { ...given, rule, left, seen: new Map(), memory: new Map() };
}

export function ofRule(rule: FaultRule): ActiveLie {
  const { id, effect, match } = rule;
  const { lie = effect.liberty ?? '', field } = effect;
  return active({ id, lie, field, site: undefined, accountId: match.account_id, unit: undefined, match }, rule);
}

/** Whether its site and its match mean an occasion. */
export function isAt({ site, match }: ActiveLie, occasion: Occasion): boolean {
  if (site !== undefined) return site === occasion.site;
  const { path, method, model, take, event, content_type: type } = match;
  if (path !== undefined && !occasion.path.startsWith(path)) return false;
  if (method !== undefined && method !== occasion.method) return false;
  if (model !== undefined && model !== occasion.model) return false;
  if (take !== undefined && take !== occasion.take) return false;
  if (event !== undefined && event !== occasion.event) return false;
  return type === undefined || (occasion.contentType ?? '').startsWith(type);
}
