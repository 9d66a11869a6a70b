import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId, nextSequenceNumber } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { TestNameAndFile, Tests } from '../accounts/tests.ts';
import { effectDefinition } from './effects/effect-table.ts';
import {
  type FaultTarget,
  type MatchedRule,
  reasonsNotApplied,
  takeIndexesMatchedByRule,
  takeIndexesWithoutEarlierRule,
} from './fault-rule.ts';
import type { FaultRule } from './fault-store.ts';
import {
  countFaultRuleUse,
  deleteFaultRule,
  deleteFaultRules,
  faultRulesWithUsesLeft,
  findFaultRule,
  insertFaultRule,
  uncountFaultRuleUse,
  unusedFaultRules,
} from './fault-store.ts';
import { FaultWaits } from './fault-waits.ts';
import { Holds } from './holds.ts';
import type { LatencyProfile } from './latency-profile.ts';
import type { RequestFaults } from './request-faults.ts';

interface FaultRulesParts {
  database: Database;
  clock: Clock;
  random: Random;
  profile?: LatencyProfile | undefined;
  holds?: Holds;
  waits?: FaultWaits;
  tests: Pick<Tests, 'ofAccount'>;
}

interface NewRule extends Pick<FaultRule, 'match' | 'effect' | 'probability'> {
  times?: number | undefined;
  ttlSeconds?: number;
}

/**
 * The fault rules and their uses. A use is counted and committed before its effect, so that parallel requests never
 * exceed `times`.
 */
export class FaultRules {
  readonly holds: Holds;
  readonly waits: FaultWaits;
  readonly #parts: FaultRulesParts;
  readonly #live = new RuleIndex();
  readonly #polled = new Set<string>();

  constructor(parts: FaultRulesParts) {
    this.#parts = parts;
    this.holds = parts.holds ?? new Holds(parts);
    this.waits = parts.waits ?? new FaultWaits(parts.clock);
  }

  testOf(accountId: string): TestNameAndFile | undefined {
    return this.#parts.tests.ofAccount(accountId);
  }

  /**
   * False if no request needs a check for faults: rules, holds and a latency profile are missing, and neither a
   * delivery nor a response waits for a request.
   */
  get isArmed(): boolean {
    const { profile } = this.#parts;
    return profile !== undefined || !this.#live.isEmpty || this.holds.isSet || this.waits.isWatched;
  }

  start(): void {
    this.#live.fill(faultRulesWithUsesLeft(this.#parts.database));
  }

  /**
   * Forgets the rules and holds before a reset or a stop. Held requests and responses, and those that wait in
   * `FaultWaits.delay`, end with an error.
   */
  stop(): void {
    this.#live.fill([]);
    this.#polled.clear();
    this.holds.forget();
    this.waits.forget();
  }

  add(wanted: NewRule): Promise<FaultRule> {
    const { ttlSeconds, times = 1, ...rest } = wanted;
    const given = { ...rest, times };
    const { database, random } = this.#parts;
    return database.transact((tx) => {
      const id = nextId(tx, random, 'fault', given.match.account_id ?? '');
      const expires = ttlSeconds === undefined ? null : tx.now + Math.round(ttlSeconds * 1000);
      const rule = insertFaultRule(tx, { ...given, id, expires });
      tx.onCommit(() => this.#live.enter(rule));
      return rule;
    });
  }

  /**
   * Removes a rule. If its fault is `after_all`, sends the deliveries that this fault delays for the account of the
   * rule, or for all accounts. Returns false for an unknown rule.
   */
  remove(id: string): Promise<boolean> {
    return this.#parts.database.transact((tx) => {
      const rule = findFaultRule(tx, id);
      if (!rule) return false;
      deleteFaultRule(tx, id);
      tx.onCommit(() => {
        this.#live.remove(rule);
        if (rule.effect.webhook === 'after_all') this.waits.hush(rule.match.account_id);
      });
      return true;
    });
  }

  removeAll(accountId: string | undefined): Promise<void> {
    return this.#parts.database.transact((tx) => {
      deleteFaultRules(tx, accountId);
      tx.onCommit(() => this.start());
    });
  }

  mayApplyTo({ path, accountId, paid }: Pick<FaultTarget, 'path' | 'accountId' | 'paid'>): boolean {
    if ((this.#parts.profile && paid) || this.holds.isSet) return true;
    return this.#live.mayApplyTo(path, accountId);
  }

  unused(): FaultRule[] {
    return unusedFaultRules(this.#parts.database);
  }

  /** True at the first call for a job, because the change `one_more_poll` hides the end of a job only once. */
  isFirstPoll(jobId: string): boolean {
    const isFirst = !this.#polled.has(jobId);
    this.#polled.add(jobId);
    return isFirst;
  }

  /** Finds the rules that apply, and counts their uses. Resolves once the uses are committed. */
  async match(target: FaultTarget): Promise<readonly MatchedRule[]> {
    const { clock, database } = this.#parts;
    const rules = this.#live.applicable(target, clock.now());
    if (rules.length === 0) return [];
    return database.transact((tx) => {
      const matched: MatchedRule[] = [];
      for (const rule of rules) {
        const takesAt = this.#takesAt(tx, rule, target, matched);
        if (takesAt.length === 0 || !this.#use(tx, rule, target.accountId)) continue;
        matched.push({ rule, takesAt });
        if (effectDefinition(rule.kind).ends) break;
      }
      return matched;
    });
  }

  async drawLatency({ accountId, model, paid, streamed }: FaultTarget): Promise<RequestFaults | undefined> {
    const { database, profile } = this.#parts;
    if (!profile || !paid) return undefined;
    const drawn = database.transact((tx) => profile.draw(tx, accountId, { operation: paid, model, streamed }));
    return { ruleIds: [], ...(await drawn) };
  }

  async uncountUse(id: string): Promise<void> {
    await this.#parts.database.transact((tx) => {
      uncountFaultRuleUse(tx, id);
      const rule = findFaultRule(tx, id);
      if (rule) tx.onCommit(() => this.#live.enter(rule));
    });
  }

  /**
   * The takes to which the rule applies, without those of older rules of its layer. `nth` counts events, one for each
   * take, if the effect is of the layer `event`, and requests otherwise. A request counts even if an older rule has its
   * takes, unless the older rule replaces the response.
   */
  #takesAt(tx: Transaction, rule: FaultRule, { takeCount }: FaultTarget, matched: readonly MatchedRule[]): number[] {
    const matching = takeIndexesMatchedByRule(rule, takeCount);
    const { nth } = rule.match;
    if (nth === undefined || matching.length === 0) return takeIndexesWithoutEarlierRule(matched, rule, matching);
    const next = () => nextSequenceNumber(tx, '', `nth:${rule.id}`) === nth;
    if (effectDefinition(rule.kind).layer !== 'event')
      return next() ? takeIndexesWithoutEarlierRule(matched, rule, matching) : [];
    return takeIndexesWithoutEarlierRule(matched, rule, matching.filter(next));
  }

  #use(tx: Transaction, rule: FaultRule, accountId: string): boolean {
    if (!this.#isDrawn(tx, rule, accountId)) return false;
    const uses = countFaultRuleUse(tx, rule.id);
    if (uses === undefined) return false;
    if (uses === rule.times) tx.onCommit(() => this.#live.remove(rule));
    return true;
  }

  /** Draws whether a rule with a probability applies. The draws of an account do not depend on other accounts. */
  #isDrawn(tx: Transaction, { id, probability }: FaultRule, accountId: string): boolean {
    if (probability === 1) return true;
    const n = nextSequenceNumber(tx, accountId, `draw:${id}`);
    return this.#parts.random.chance(`${id}:${accountId}`, 'strike', n) < probability;
  }
}

const NONE: readonly FaultRule[] = [];

/** Rules by their account, so that rules of other accounts cost a request no time. */
class RuleIndex {
  readonly #scoped = new Map<string, FaultRule[]>();
  #global: FaultRule[] = [];

  get isEmpty(): boolean {
    return this.#global.length === 0 && this.#scoped.size === 0;
  }

  fill(rules: readonly FaultRule[]): void {
    this.#scoped.clear();
    this.#global = [];
    for (const rule of rules) this.#listOf(rule).push(rule);
  }

  enter(rule: FaultRule): void {
    this.remove(rule);
    this.#listOf(rule).push(rule);
  }

  remove(rule: FaultRule): void {
    const accountId = rule.match.account_id;
    const rules = this.#listOf(rule).filter(({ id }) => id !== rule.id);
    if (accountId === undefined) this.#global = rules;
    else if (rules.length > 0) this.#scoped.set(accountId, rules);
    else this.#scoped.delete(accountId);
  }

  mayApplyTo(path: string, accountId: string): boolean {
    const matchesPath = ({ match }: FaultRule) => match.path === undefined || path.startsWith(match.path);
    return this.#global.some(matchesPath) || (this.#scoped.get(accountId) ?? NONE).some(matchesPath);
  }

  applicable(target: FaultTarget, now: number): FaultRule[] {
    const applies = (rule: FaultRule) =>
      (rule.expires === null || rule.expires > now) && reasonsNotApplied(rule, target).length === 0;
    const scoped = this.#scoped.get(target.accountId) ?? NONE;
    const found = [...this.#global.filter(applies), ...scoped.filter(applies)];
    return found.sort((one, other) => one.position - other.position);
  }

  #listOf({ match }: FaultRule): FaultRule[] {
    if (match.account_id === undefined) return this.#global;
    const known = this.#scoped.get(match.account_id);
    if (known) return known;
    const rules: FaultRule[] = [];
    this.#scoped.set(match.account_id, rules);
    return rules;
  }
}
