import { isNameOfTest, qualifiedTestName, type TestNameAndFile } from '../accounts/tests.ts';
import type { PaidOperation } from '../catalogue/catalogue.ts';
import type { Directives } from './directives.ts';
import type { RequestDestination, RouteTraits } from './effects/effect-definition.ts';
import { type Effect, effectDefinition, effectKind } from './effects/effect-table.ts';
import type { FaultRule, MatchConditions } from './fault-store.ts';
import { mergeRequestFaults, type RequestFaults } from './request-faults.ts';

/** A request, or an event that no request caused. Rules and holds are compared with it. */
export interface FaultTarget {
  destination: RequestDestination;
  path: string;
  method: string;
  /** Empty if the request has no account. */
  accountId: string;
  test: TestNameAndFile | undefined;
  model?: string | undefined;
  text: string;
  paid?: PaidOperation | undefined;
  /** How many takes the request orders; 1 unless it orders a song. */
  takeCount: number;
  announces: boolean;
  streamed: boolean;
  directives: Directives;
}

export function describeFaultRule({ id, match, effect }: FaultRule): string {
  return `${id} ${JSON.stringify(match)} -> ${JSON.stringify(effect)}`;
}

type Mismatch<Wanted> = (wanted: Wanted, target: FaultTarget) => string | undefined;
type Compared = 'path' | 'method' | 'model' | 'account_id' | 'test' | 'contains' | 'take';

const MISMATCHES: { [Field in Compared]: Mismatch<NonNullable<MatchConditions[Field]>> } = {
  path: (wanted, { path }) => (path.startsWith(wanted) ? undefined : `${wanted}, the request's is ${path}`),
  method: (wanted, { method }) => (method === wanted ? undefined : `${wanted}, the request's is ${method}`),
  model: (wanted, { model }) => (model === wanted ? undefined : `${wanted}, the request's is ${model ?? 'none'}`),
  account_id: (wanted, { accountId }) =>
    accountId === wanted ? undefined : `${wanted}, the request's is ${accountId || 'none'}`,
  test(wanted, { test }) {
    if (test && isNameOfTest(wanted, test)) return undefined;
    return `${JSON.stringify(wanted)}, the request's is ${test ? JSON.stringify(qualifiedTestName(test)) : 'none'}`;
  },
  take: (wanted, { takeCount }) => (wanted <= takeCount ? undefined : `${wanted}, the request orders ${takeCount}`),
  contains: (wanted, { text }) =>
    text.includes(wanted) ? undefined : `${JSON.stringify(wanted)}, no text of the request contains it`,
};

const COMPARED = Object.keys(MISMATCHES) as Compared[];

/** The fields of `match` that do not fit the request, in words. Ignores `nth`, which the caller counts. */
export function reasonsNotMatched(match: MatchConditions, target: FaultTarget): string[] {
  return COMPARED.flatMap((field) => {
    const wanted = match[field];
    if (wanted === undefined) return [];
    const why = (MISMATCHES[field] as Mismatch<unknown>)(wanted, target);
    return why === undefined ? [] : [`match.${field} is ${why}`];
  });
}

/**
 * Why a rule does not apply to a request, in words; empty if it applies. Ignores `nth`, probability, expiry and earlier
 * uses.
 */
export function reasonsNotApplied(rule: FaultRule, target: FaultTarget): string[] {
  const why = reasonsNotMatched(rule.match, target);
  return canAct(rule, target) ? why : [...why, `its effect, ${rule.kind}, cannot act on this request`];
}

/**
 * Whether the effect of a rule can act on a request. If the directive `status` sets the response, most effects have no
 * work to act on [I195].
 */
function canAct({ kind, effect }: FaultRule, target: FaultTarget): boolean {
  const row = effectDefinition(kind);
  if (!row.reaches(target, effect)) return false;
  return row.acts ? row.acts(target, effect) : target.directives.status === undefined;
}

export function isPerTake({ kind }: Pick<FaultRule, 'kind'>): boolean {
  const { layer } = effectDefinition(kind);
  return layer === 'outcome' || layer === 'pace' || layer === 'event' || layer === 'change';
}

export interface FaultableRoute extends RouteTraits {
  /** A `*` at the end of the path matches any number of segments. */
  path: string;
  methods: readonly string[];
  hasTexts: boolean;
  hasAccount: boolean;
}

export interface MatchedRule {
  rule: Pick<FaultRule, 'id' | 'kind' | 'effect'>;
  takesAt: readonly number[];
}

/** The indexes of the takes that a rule matches; only 0 for a rule that acts on the whole request. */
export function takeIndexesMatchedByRule(
  { kind, match: { take } }: Pick<FaultRule, 'kind' | 'match'>,
  count: number,
): number[] {
  if (!isPerTake({ kind })) return [0];
  const all = Array.from({ length: count }, (_, at) => at);
  return take === undefined ? all : all.filter((at) => at === take - 1);
}

/**
 * Leaves out takes to which an earlier rule of the same layer applies. A rule that replaces the response may follow
 * only compatible changes.
 */
export function takeIndexesWithoutEarlierRule(
  matched: readonly MatchedRule[],
  { kind }: FaultRule,
  takesAt: readonly number[],
): number[] {
  const { layer, ends } = effectDefinition(kind);
  const layers = matched.map(({ rule }) => effectDefinition(rule.kind).layer);
  if (ends && layers.some((each) => each !== 'change')) return [];
  const isClaimed = (at: number) => matched.some((earlier, n) => layers[n] === layer && earlier.takesAt.includes(at));
  return takesAt.filter((at) => !isClaimed(at));
}

/** Makes a matched rule of the effect that a user chose when releasing a held message. No use is counted. */
export function makeMatchedRulesForEffect(
  effect: Effect,
  { takeCount }: Pick<FaultTarget, 'takeCount'>,
): MatchedRule[] {
  const rule = { id: '', match: {}, effect, kind: effectKind(effect) };
  return [{ rule, takesAt: takeIndexesMatchedByRule(rule, takeCount) }];
}

export function resolveRequestFaults(
  matched: readonly MatchedRule[],
  { takeCount }: Pick<FaultTarget, 'takeCount'>,
): RequestFaults | undefined {
  const faults = matched.map(({ rule: { id, kind, effect }, takesAt }): RequestFaults | undefined => {
    const decided = effectDefinition(kind).changes?.(effect);
    if (!decided) return undefined;
    const { job = {}, ...whole } = decided;
    const jobs = Array.from({ length: takeCount }, (_, at) => (takesAt.includes(at) ? job : {}));
    return { ruleIds: id === '' ? [] : [id], ...whole, jobs };
  });
  return faults.reduce(mergeRequestFaults, undefined);
}
