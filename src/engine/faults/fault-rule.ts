import { isNameOfTest, type TestName, testKey } from '../accounts/tests.ts';
import type { Directives } from './directives.ts';
import type { EffectReach, Surface } from './effects/effect-row.ts';
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

export function faultRuleText({ id, match, effect }: FaultRule): string {
  return `${id} ${JSON.stringify(match)} -> ${JSON.stringify(effect)}`;
}

type Mismatch<Wanted> = (wanted: Wanted, target: FaultTarget) => string | undefined;
type Compared = 'path' | 'method' | 'model' | 'account_id' | 'test' | 'contains' | 'take';

/** In the order of the checks. The fastest come first, because every request of an armed emulator is compared. */
const MISMATCHES: { [Field in Compared]: Mismatch<NonNullable<RuleMatch[Field]>> } = {
  path: (wanted, { path }) => (path.startsWith(wanted) ? undefined : `${wanted}, the request's is ${path}`),
  method: (wanted, { method }) => (method === wanted ? undefined : `${wanted}, the request's is ${method}`),
  model: (wanted, { model }) => (model === wanted ? undefined : `${wanted}, the request's is ${model ?? 'none'}`),
  account_id: (wanted, { accountId }) =>
    accountId === wanted ? undefined : `${wanted}, the request's is ${accountId || 'none'}`,
  test(wanted, { test }) {
    if (test && isNameOfTest(wanted, test)) return undefined;
    return `${JSON.stringify(wanted)}, the request's is ${test ? JSON.stringify(testKey(test)) : 'none'}`;
  },
  take: (wanted, { takes }) => (wanted <= takes ? undefined : `${wanted}, the request orders ${takes}`),
  contains: (wanted, { text }) =>
    text.includes(wanted) ? undefined : `${JSON.stringify(wanted)}, no text of the request contains it`,
};

const COMPARED = Object.keys(MISMATCHES) as Compared[];

/** Why a match does not select a request, a job or a delivery; empty if it does. `nth` is counted by the caller. */
export function reasonsNotMatched(match: RuleMatch, target: FaultTarget): string[] {
  return COMPARED.flatMap((field) => {
    const wanted = match[field];
    if (wanted === undefined) return [];
    const why = (MISMATCHES[field] as Mismatch<unknown>)(wanted, target);
    return why === undefined ? [] : [`match.${field} is ${why}`];
  });
}

/** Why a rule does not apply, without its probability and earlier uses; empty if it does. */
export function reasonsNotApplied(rule: FaultRule, target: FaultTarget): string[] {
  const why = reasonsNotMatched(rule.match, target);
  return canAct(rule, target) ? why : [...why, `its effect, ${rule.kind}, cannot act on this request`];
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

export interface FaultPoint extends EffectReach {
  /** As a router writes it; `*` at the end is any number of segments. */
  path: string;
  methods: readonly string[];
  hasTexts: boolean;
  hasAccount: boolean;
}
