import type { Directives } from './directives.ts';
import { type PaidOperation, paidWork } from './paid-work.ts';
import type { CrashPoint, StreamFault, WebhookFault } from './struck.ts';

export const EFFECT_KINDS = ['status', 'delay_ms', 'drop', 'fail_job', 'stream', 'webhook', 'crash'] as const;
export type EffectKind = (typeof EFFECT_KINDS)[number];

/** What a rule does: one of the kinds; `code` and `retry_after` (seconds) belong to a status. */
export interface Effect {
  status?: number;
  code?: string;
  retry_after?: number;
  /** Milliseconds of real time. */
  delay_ms?: number;
  drop?: true;
  fail_job?: string;
  stream?: StreamFault;
  webhook?: WebhookFault;
  crash?: CrashPoint;
}

/** Whom a rule strikes; what is left out fits every request. */
export interface FaultMatch {
  /** The beginning of the path. */
  path?: string;
  model?: string;
  /** A piece of one of the texts that the request brings. */
  contains?: string;
  account_id?: string;
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

/** A request as fault rules see it. */
export interface FaultTarget {
  path: string;
  /** The empty text where nobody is known to ask. */
  accountId: string;
  /** The one that the request names, or else means. */
  model?: string | undefined;
  /** All texts that the request brings, as one. */
  text: string;
  /** What it pays for, if for anything. */
  paid?: PaidOperation | undefined;
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

export function effectKind(effect: Effect): EffectKind {
  const kind = EFFECT_KINDS.find((each) => effect[each] !== undefined);
  if (!kind) throw new Error('a fault rule has no effect');
  return kind;
}

/** Whether a rule means this request and can do something to it; chance and how often it struck are not looked at. */
export function fits(rule: FaultRule, target: FaultTarget): boolean {
  const { path, model, contains } = rule.match;
  if (path !== undefined && !target.path.startsWith(path)) return false;
  if (model !== undefined && model !== target.model) return false;
  if (!canAct(rule, target)) return false;
  return contains === undefined || target.text.includes(contains);
}

/** Why a rule leaves a request alone, in the order in which it looks; empty where it fits. */
export function misfits(rule: FaultRule, target: FaultTarget): string[] {
  const { path, model, contains } = rule.match;
  return [
    path !== undefined && !target.path.startsWith(path) ? `match.path is ${path}, the request's is ${target.path}` : '',
    model !== undefined && model !== target.model
      ? `match.model is ${model}, the request's is ${target.model ?? 'none'}`
      : '',
    canAct(rule, target) ? '' : `its effect, ${rule.kind}, cannot act on this request`,
    contains !== undefined && !target.text.includes(contains)
      ? `no text of the request contains ${JSON.stringify(contains)}`
      : '',
  ].filter(Boolean);
}

/** Directives win where both speak: a request that is answered by one has no work that could be struck [I195]. */
function canAct({ kind, effect }: FaultRule, target: FaultTarget): boolean {
  const { paid, streamed, directives } = target;
  if (directives.status !== undefined) return kind === 'delay_ms';
  const fails = directives.fail !== undefined && directives.fail.take === undefined;
  if (kind === 'fail_job') return paid !== undefined && !fails;
  if (kind === 'stream') return streamed && !fails;
  return reachesWork(kind, effect, target);
}

/** Whether an effect can ever act on what an operation does. */
export function reachesWork(
  kind: EffectKind,
  effect: Effect,
  { paid, announces }: Pick<FaultTarget, 'paid' | 'announces'>,
): boolean {
  if (kind === 'status' || kind === 'delay_ms' || kind === 'drop') return true;
  if (kind === 'webhook' || effect.crash === 'before_delivery') return announces;
  if (!paid) return false;
  return kind !== 'stream' || paidWork(paid).streams === true;
}
