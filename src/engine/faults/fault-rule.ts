import type { Directives } from './directives.ts';
import type { Reach, Surface } from './effects/effect-row.ts';
import { type Effect, type EffectKind, rowOf } from './effects/effect-table.ts';
import type { PaidOperation } from './paid-work.ts';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Which requests a rule matches; what is left out matches every request. */
export interface RuleMatch {
  path?: string;
  method?: (typeof METHODS)[number];
  model?: string;
  contains?: string;
  account_id?: string;
  /** That take of a song alone, from 1. */
  take?: number;
  /** The nth request that matches, or the nth event where the effect acts on events; counted from 1, for each account. */
  nth?: number;
  /** Of a violation: the type of the event that it changes. */
  event?: string;
  /** Of a violation: the beginning of the content type of the file that is read. */
  content_type?: string;
}

/** One fault rule. Times are milliseconds of the emulator's clock. */
export interface FaultRule {
  position: number;
  id: string;
  match: RuleMatch;
  effect: Effect;
  kind: EffectKind;
  /** How often it may apply; 0: until it is deleted. */
  times: number;
  applied: number;
  /** Above 0, at most 1. */
  probability: number;
  expires: number | null;
  created: number;
}

export type NewFaultRule = Omit<FaultRule, 'position' | 'kind' | 'applied' | 'created'>;

export interface FaultTarget {
  surface: Surface;
  path: string;
  method: string;
  /** Empty where the request has no account. */
  accountId: string;
  model?: string | undefined;
  text: string;
  paid?: PaidOperation | undefined;
  takes: number;
  announces: boolean;
  streamed: boolean;
  directives: Directives;
}

export function faultLine({ id, match, effect }: FaultRule): string {
  return `${id} ${JSON.stringify(match)} -> ${JSON.stringify(effect)}`;
}

/** Whether a request matches; `nth` is not considered. */
export function matches({ path, method, model, contains }: RuleMatch, target: FaultTarget): boolean {
  if (path !== undefined && !target.path.startsWith(path)) return false;
  if (method !== undefined && method !== target.method) return false;
  if (model !== undefined && model !== target.model) return false;
  return contains === undefined || target.text.includes(contains);
}

/** Whether a rule matches a request and can act on it; probability and earlier uses are not considered. */
export function fits(rule: FaultRule, target: FaultTarget): boolean {
  return canAct(rule, target) && matches(rule.match, target);
}

/** Why a rule does not fit a request, in the order of the checks; empty where it fits. */
export function misfits(rule: FaultRule, target: FaultTarget): string[] {
  const { path, method, model, contains, take } = rule.match;
  return [
    path !== undefined && !target.path.startsWith(path) ? `match.path is ${path}, the request's is ${target.path}` : '',
    method !== undefined && method !== target.method
      ? `match.method is ${method}, the request's is ${target.method}`
      : '',
    model !== undefined && model !== target.model
      ? `match.model is ${model}, the request's is ${target.model ?? 'none'}`
      : '',
    canAct(rule, target) ? '' : `its effect, ${rule.kind}, cannot act on this request`,
    take !== undefined && take > target.takes ? `match.take is ${take}, the request orders ${target.takes}` : '',
    contains !== undefined && !target.text.includes(contains)
      ? `no text of the request contains ${JSON.stringify(contains)}`
      : '',
  ].filter(Boolean);
}

/** Directives win over rules: a request that one answers has no work on which a rule could act [I195]. */
function canAct({ kind, effect }: FaultRule, target: FaultTarget): boolean {
  const row = rowOf(kind);
  if (!row.reaches(target, effect)) return false;
  return row.acts ? row.acts(target, effect) : target.directives.status === undefined;
}

/** Whether a rule applies to takes and their events one by one, rather than to the request as a whole. */
export function isPerTake({ kind }: Pick<FaultRule, 'kind'>): boolean {
  const { layer } = rowOf(kind);
  return layer === 'outcome' || layer === 'pace' || layer === 'event';
}

/** A route on which faults can act, and what of its requests a rule can match. */
export interface FaultPoint extends Reach {
  /** As a router writes it: `:id` stands for one segment, `*` at the end for any number. */
  path: string;
  methods: readonly string[];
  hasTexts: boolean;
  hasAccount: boolean;
}
