import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Random } from '../../base/random.ts';
import { NO_VIOLATIONS, type Violations } from '../violations.ts';
import { isViolation } from './effects/effect-table.ts';
import { type FaultRule, type FaultTarget, fits, type NewFaultRule } from './fault-rule.ts';
import {
  countUse,
  deleteFault,
  deleteFaults,
  findFault,
  insertFault,
  liveFaults,
  unusedFaults,
} from './fault-store.ts';
import { Holds } from './holds.ts';
import type { LatencyProfile } from './latency-profile.ts';
import { RuleUses } from './rule-uses.ts';

export interface FaultRulesParts {
  database: Database;
  clock: Clock;
  random: Random;
  /** How long work takes and how often it fails, where that was asked for. */
  profile?: LatencyProfile | undefined;
  /** Its own unless given. */
  holds?: Holds;
  /** Has the rules that are violations. */
  violations?: Violations;
}

export type RuleOrder = Omit<NewFaultRule, 'id' | 'expires' | 'times'> & {
  times?: number | undefined;
  ttlSeconds?: number;
};

/**
 * The fault rules of one emulator: the first that matches a request applies. Each use is counted in a transaction, so
 * that a rule never applies to more of many parallel requests than it has times, and committed before its effect acts.
 */
export class FaultRules {
  readonly holds: Holds;
  readonly #violations: Violations;
  /** The rules that are violations, which wait for no request. */
  #breaking: readonly FaultRule[] = [];
  readonly #parts: FaultRulesParts;
  readonly #live = new RuleIndex();
  /** What a request meets. */
  readonly uses: RuleUses;
  /** Whether any rule, profile or hold is set: without one, a request pays for this check alone. */
  isArmed = false;

  constructor(parts: FaultRulesParts) {
    this.#parts = parts;
    this.uses = new RuleUses({ ...parts, live: this.#live, onChange: () => this.#arm() });
    this.holds = parts.holds ?? new Holds(parts);
    this.#violations = parts.violations ?? NO_VIOLATIONS;
    this.holds.onChange = () => this.#arm();
    this.#arm();
  }

  /** Reads the rules of the database. */
  wake(): void {
    this.#live.clear();
    const rules = liveFaults(this.#parts.database);
    for (const rule of rules) if (!isViolation(rule)) this.#live.add(rule);
    this.#setBreaking(rules.filter(isViolation));
    this.#arm();
  }

  /** Before a reset or a stop: no rule applies any more, and what is held is released with an error. */
  rest(): void {
    this.#live.clear();
    this.#setBreaking([]);
    this.#arm();
    this.holds.forget();
  }

  /** Without `times`, a rule applies once, and a violation until it is deleted. */
  add(order: RuleOrder): Promise<FaultRule> {
    const { ttlSeconds, times = isViolation(order) ? 0 : 1, ...rest } = order;
    const given = { ...rest, times };
    const { database, random } = this.#parts;
    return database.transact((tx) => {
      const id = nextId(tx, random, 'fault', given.match.account_id ?? '');
      const expires = ttlSeconds === undefined ? null : tx.now + Math.round(ttlSeconds * 1000);
      insertFault(tx, { ...given, id, expires });
      const rule = findFault(tx, id);
      if (!rule) throw new Error('the fault rule was not written');
      tx.onCommit(() => this.#enter(rule));
      return rule;
    });
  }

  /** Answers whether there was one. Deliveries that a rule delays until all is quiet come when the rule is deleted. */
  remove(id: string): Promise<boolean> {
    return this.#parts.database.transact((tx) => {
      const rule = findFault(tx, id);
      if (!rule) return false;
      deleteFault(tx, id);
      tx.onCommit(() => {
        this.#leave(rule);
        if (rule.effect.webhook === 'after_all') this.holds.timers.hush(rule.match.account_id);
      });
      return true;
    });
  }

  /** Removes all, or those that are scoped to an account. */
  removeAll(accountId: string | undefined): Promise<void> {
    return this.#parts.database.transact((tx) => {
      deleteFaults(tx, accountId);
      tx.onCommit(() => this.wake());
    });
  }

  /** Whether a rule, the profile or a hold could concern a request. */
  looksAt({ path, accountId, paid }: Pick<FaultTarget, 'path' | 'accountId' | 'paid'>): boolean {
    if ((this.#parts.profile && paid) || this.holds.isSet) return true;
    return this.#live.looksAt(path, accountId);
  }

  /** Rules that never applied: their tests did not test what they meant to. */
  unused(): FaultRule[] {
    return unusedFaults(this.#parts.database);
  }

  #setBreaking(rules: readonly FaultRule[]): void {
    this.#breaking = rules;
    this.#violations.setRules(rules, ({ id }) => this.#countApplied(id));
  }

  /** Also one whose answer has left: where it cannot be written, the rule has applied all the same. */
  #countApplied(id: string): void {
    this.#parts.database.transact((tx) => countUse(tx, id)).catch(() => undefined);
  }

  #enter(rule: FaultRule): void {
    if (isViolation(rule)) {
      this.#setBreaking([...this.#breaking, rule]);
      return;
    }
    this.#live.remove(rule);
    this.#live.add(rule);
    this.#arm();
  }

  #leave(rule: FaultRule): void {
    this.#setBreaking(this.#breaking.filter(({ id }) => id !== rule.id));
    this.#live.remove(rule);
    this.#arm();
  }

  #arm(): void {
    this.isArmed = this.#parts.profile !== undefined || !this.#live.isEmpty || this.holds.isSet;
  }
}

const NONE: readonly FaultRule[] = [];

/** The rules that may still apply, by the account they are scoped to: the rules of other tests cost a request nothing. */
export class RuleIndex {
  readonly #scoped = new Map<string, FaultRule[]>();
  #global: FaultRule[] = [];

  get isEmpty(): boolean {
    return this.#global.length === 0 && this.#scoped.size === 0;
  }

  add(rule: FaultRule): void {
    this.#listOf(rule).push(rule);
  }

  remove(rule: FaultRule): void {
    const accountId = rule.match.account_id;
    const rules = this.#listOf(rule).filter(({ id }) => id !== rule.id);
    if (accountId === undefined) this.#global = rules;
    else if (rules.length > 0) this.#scoped.set(accountId, rules);
    else this.#scoped.delete(accountId);
  }

  clear(): void {
    this.#scoped.clear();
    this.#global = [];
  }

  /** Whether a rule concerns a path of an account at all. */
  looksAt(path: string, accountId: string): boolean {
    const looks = ({ match }: FaultRule) => match.path === undefined || path.startsWith(match.path);
    return this.#global.some(looks) || (this.#scoped.get(accountId) ?? NONE).some(looks);
  }

  /** The rules that fit a request at this time, in the order of creation. */
  fitting(target: FaultTarget, now: number): FaultRule[] {
    const isFitting = (rule: FaultRule) => (rule.expires === null || rule.expires > now) && fits(rule, target);
    const scoped = this.#scoped.get(target.accountId) ?? NONE;
    const found = [...this.#global.filter(isFitting), ...scoped.filter(isFitting)];
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
