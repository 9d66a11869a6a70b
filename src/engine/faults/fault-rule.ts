import { isTestNamed, type TestName, testKey } from '../accounts/tests.ts';
import type { Directives } from './directives.ts';
import type { Reach, Surface } from './effects/effect-row.ts';
import { effectRowOf } from './effects/effect-table.ts';
import type { FaultRule, RuleMatch } from './fault-store.ts';
import type { PaidOperation } from './paid-work.ts';

export interface FaultTarget {
  surface: Surface;
  path: string;
  method: string;
  /** Empty without an account. */
  accountId: string;
  /** The test that uses the account. */
  test: TestName | undefined;
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

/** Without `nth`. */
export function matches({ path, method, model, contains, test }: RuleMatch, target: FaultTarget): boolean {
  if (path !== undefined && !target.path.startsWith(path)) return false;
  if (method !== undefined && method !== target.method) return false;
  if (model !== undefined && model !== target.model) return false;
  if (test !== undefined && otherTest(test, target)) return false;
  return contains === undefined || target.text.includes(contains);
}

/** Without probability and earlier uses. */
export function ruleFits(rule: FaultRule, target: FaultTarget): boolean {
  return canAct(rule, target) && matches(rule.match, target);
}

/** In the order of the checks; empty if the rule fits. */
export function misfits(rule: FaultRule, target: FaultTarget): string[] {
  const { path, method, model, contains, take, test } = rule.match;
  return [
    path !== undefined && !target.path.startsWith(path) ? `match.path is ${path}, the request's is ${target.path}` : '',
    method !== undefined && method !== target.method
      ? `match.method is ${method}, the request's is ${target.method}`
      : '',
    model !== undefined && model !== target.model
      ? `match.model is ${model}, the request's is ${target.model ?? 'none'}`
      : '',
    test === undefined ? '' : otherTest(test, target),
    canAct(rule, target) ? '' : `its effect, ${rule.kind}, cannot act on this request`,
    take !== undefined && take > target.takes ? `match.take is ${take}, the request orders ${target.takes}` : '',
    contains !== undefined && !target.text.includes(contains)
      ? `no text of the request contains ${JSON.stringify(contains)}`
      : '',
  ].filter(Boolean);
}

/** Empty if the request is of this test. */
function otherTest(wanted: string, { test }: FaultTarget): string {
  if (test && isTestNamed(wanted, test)) return '';
  return `match.test is ${JSON.stringify(wanted)}, the request's is ${test ? JSON.stringify(testKey(test)) : 'none'}`;
}

/** A request that a directive answers has no work for a rule [I195]. */
function canAct({ kind, effect }: FaultRule, target: FaultTarget): boolean {
  const row = effectRowOf(kind);
  if (!row.reaches(target, effect)) return false;
  return row.acts ? row.acts(target, effect) : target.directives.status === undefined;
}

export function isPerTake({ kind }: Pick<FaultRule, 'kind'>): boolean {
  const { layer } = effectRowOf(kind);
  return layer === 'outcome' || layer === 'pace' || layer === 'event' || layer === 'change';
}

export interface FaultPoint extends Reach {
  /** As a router writes it; `*` at the end is any number of segments. */
  path: string;
  methods: readonly string[];
  hasTexts: boolean;
  hasAccount: boolean;
}
