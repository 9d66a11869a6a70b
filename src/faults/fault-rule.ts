import type { Directives } from './directives.ts';
import type { Surface } from './effects/effect-row.ts';
import { type Effect, type EffectKind, rowOf } from './effects/effect-table.ts';
import type { PaidOperation } from './paid-work.ts';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Whom a rule strikes; what is left out fits every request. */
export interface FaultMatch {
  /** The beginning of the path. */
  path?: string;
  /** In capital letters. */
  method?: (typeof METHODS)[number];
  model?: string;
  /** A piece of one of the texts that the request brings. */
  contains?: string;
  account_id?: string;
  /** That take of a song alone, from 1. */
  take?: number;
  /** The nth request that fits, and of what strikes events the nth event; counted from 1, of each account by itself. */
  nth?: number;
}

/** One fault rule. Times are milliseconds of the emulator's clock. */
export interface FaultRule {
  /** Rules are looked at in the order of it. */
  position: number;
  id: string;
  match: FaultMatch;
  effect: Effect;
  /** That of its effect. */
  kind: EffectKind;
  /** How often it may strike; 0: until it is deleted. */
  times: number;
  strikes: number;
  /** Above 0, at most 1. */
  probability: number;
  expires: number | null;
  created: number;
}

export type NewFaultRule = Omit<FaultRule, 'position' | 'kind' | 'strikes' | 'created'>;

/** A request as fault rules and holds see it. */
export interface FaultTarget {
  surface: Surface;
  path: string;
  method: string;
  /** The empty text where nobody is known to ask. */
  accountId: string;
  /** The one that the request names, or else means. */
  model?: string | undefined;
  /** All texts that the request brings, as one. */
  text: string;
  /** What it pays for, if for anything. */
  paid?: PaidOperation | undefined;
  /** How many takes of a song it orders; 1 of everything else. */
  takes: number;
  /** Whether what it starts tells webhooks of its end. */
  announces: boolean;
  /** Whether its answer is to be a stream. */
  streamed: boolean;
  directives: Directives;
}

/** A rule in one line, for whoever reads a log. */
export function faultLine({ id, match, effect }: FaultRule): string {
  return `${id} ${JSON.stringify(match)} -> ${JSON.stringify(effect)}`;
}

/** Whether a match means this request; how often it was seen is not looked at. */
export function means({ path, method, model, contains }: FaultMatch, target: FaultTarget): boolean {
  if (path !== undefined && !target.path.startsWith(path)) return false;
  if (method !== undefined && method !== target.method) return false;
  if (model !== undefined && model !== target.model) return false;
  return contains === undefined || target.text.includes(contains);
}

/** Whether a rule means this request and can do something to it; chance and how often it struck are not looked at. */
export function fits(rule: FaultRule, target: FaultTarget): boolean {
  return canAct(rule, target) && means(rule.match, target);
}

/** Why a rule leaves a request alone, in the order in which it looks; empty where it fits. */
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

/** Directives win where both speak: a request that is answered by one has no work that could be struck [I195]. */
function canAct({ kind, effect }: FaultRule, target: FaultTarget): boolean {
  const row = rowOf(kind);
  if (!row.reaches(target, effect)) return false;
  return row.acts ? row.acts(target, effect) : target.directives.status === undefined;
}

/** Whether a rule strikes takes and their events one by one, rather than the request as a whole. */
export function strikesTakes({ kind }: Pick<FaultRule, 'kind'>): boolean {
  const { layer } = rowOf(kind);
  return layer === 'outcome' || layer === 'pace' || layer === 'event';
}
