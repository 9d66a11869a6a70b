import type { Clock } from '../clock/clock.ts';
import type { Database } from '../database/database.ts';
import { nextId, nextNumber } from '../database/sequence-store.ts';
import type { Transaction } from '../database/transaction.ts';
import type { Random } from '../random.ts';
import { rowOf } from './effects/effect-table.ts';
import type { FaultRule, FaultTarget, NewFaultRule } from './fault-rule.ts';
import {
  countStrike,
  deleteFault,
  deleteFaults,
  findFault,
  insertFault,
  liveFaults,
  takeBackStrike,
  unstruckFaults,
} from './fault-store.ts';
import { Holds } from './holds/holds.ts';
import type { LatencyProfile } from './latency-profile.ts';
import { RuleIndex } from './rule-index.ts';
import { Strike, takesOf } from './strike.ts';
import type { AppliedFault } from './struck.ts';

export interface FaultRulesParts {
  database: Database;
  clock: Clock;
  random: Random;
  /** How long work takes and how often it fails, where that was asked for. */
  profile?: LatencyProfile | undefined;
  /** Where what is put off waits; its own unless given. */
  holds?: Holds;
}

/**
 * The fault rules of one emulator: the first that fits a request strikes it. A strike is counted in a transaction, so
 * that of many requests at once no more are struck than a rule has times, and is committed before its effect acts.
 */
export class FaultRules {
  readonly holds: Holds;
  readonly #parts: FaultRulesParts;
  readonly #live = new RuleIndex();
  /** Whether anything may strike: all that a request pays for when nothing is set. */
  isArmed = false;

  constructor(parts: FaultRulesParts) {
    this.#parts = parts;
    this.holds = parts.holds ?? new Holds(parts);
    this.holds.onChange = () => this.#arm();
    this.#arm();
  }

  /** Takes up the rules that the database keeps. */
  wake(): void {
    this.#live.clear();
    for (const rule of liveFaults(this.#parts.database)) this.#live.add(rule);
    this.#arm();
  }

  /** Before a reset or a stop: no rule strikes any more, and what is held is let go with an error. */
  rest(): void {
    this.#live.clear();
    this.#arm();
    this.holds.forget();
  }

  add(order: Omit<NewFaultRule, 'id' | 'expires'> & { ttlSeconds?: number }): Promise<FaultRule> {
    const { ttlSeconds, ...given } = order;
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

  /** Answers whether there was one. What a rule has put off until all is quiet comes when the rule goes. */
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

  /** All, or those that are scoped to an account. */
  removeAll(accountId: string | undefined): Promise<void> {
    return this.#parts.database.transact((tx) => {
      deleteFaults(tx, accountId);
      tx.onCommit(() => this.wake());
    });
  }

  /** Whether a request is worth a closer look. */
  looksAt({ path, accountId, paid }: Pick<FaultTarget, 'path' | 'accountId' | 'paid'>): boolean {
    if ((this.#parts.profile && paid) || this.holds.isSet) return true;
    return this.#live.looksAt(path, accountId);
  }

  /** The rules that mean a request and can act on it now. */
  fitting(target: FaultTarget): FaultRule[] {
    return this.#live.fitting(target, this.#parts.clock.now());
  }

  /** Has at each place the first rule strike that fits and whose chance comes up; resolves when that is committed. */
  async strike(target: FaultTarget): Promise<Strike | undefined> {
    const rules = this.fitting(target);
    if (rules.length === 0) return undefined;
    const strike = await this.#parts.database.transact((tx) => {
      const found = new Strike(target.takes);
      for (const rule of rules) {
        const takes = this.#takes(tx, rule, target, found);
        if (takes.length > 0 && this.#strikes(tx, rule, target.accountId)) found.claim(rule, takes);
        if (found.isOver) break;
      }
      return found;
    });
    return strike.rules.length > 0 ? strike : undefined;
  }

  /** What the latency profile has in store for this request. */
  async drawLatency({ accountId, model, paid, streamed }: FaultTarget): Promise<AppliedFault | undefined> {
    const { database, profile } = this.#parts;
    if (!profile || !paid) return undefined;
    const drawn = database.transact((tx) => profile.draw(tx, accountId, { operation: paid, model, streamed }));
    return { rules: [], ...(await drawn) };
  }

  /** What was to be struck never came to its work: the strike is as if it had not been. */
  async giveBack(id: string): Promise<void> {
    await this.#parts.database.transact((tx) => {
      takeBackStrike(tx, id);
      const rule = findFault(tx, id);
      if (rule) tx.onCommit(() => this.#enter(rule));
    });
  }

  /** Rules that never struck: their tests saw nothing of what they were to see. */
  unstruck(): FaultRule[] {
    return unstruckFaults(this.#parts.database);
  }

  /** Which takes a rule would strike: it counts what it means whether it strikes or not, and whoever else does. */
  #takes(tx: Transaction, rule: FaultRule, { takes, accountId }: FaultTarget, strike: Strike): number[] {
    const meant = takesOf(rule, takes);
    const { nth } = rule.match;
    if (nth === undefined || meant.length === 0) return strike.free(rule, meant);
    const next = () => nextNumber(tx, accountId, `nth:${rule.id}`) === nth;
    if (rowOf(rule.kind).layer !== 'event') return next() ? strike.free(rule, meant) : [];
    return strike.free(rule, meant.filter(next));
  }

  #strikes(tx: Transaction, rule: FaultRule, accountId: string): boolean {
    if (!this.#isDrawn(tx, rule, accountId)) return false;
    const strikes = countStrike(tx, rule.id);
    if (strikes === undefined) return false;
    if (strikes === rule.times) tx.onCommit(() => this.#leave(rule));
    return true;
  }

  /** Whose nth request it is decides, whatever other accounts do meanwhile. */
  #isDrawn(tx: Transaction, { id, probability }: FaultRule, accountId: string): boolean {
    if (probability === 1) return true;
    const n = nextNumber(tx, accountId, `draw:${id}`);
    return this.#parts.random.chance(`${id}:${accountId}`, 'strike', n) < probability;
  }

  #enter(rule: FaultRule): void {
    this.#live.remove(rule);
    this.#live.add(rule);
    this.#arm();
  }

  #leave(rule: FaultRule): void {
    this.#live.remove(rule);
    this.#arm();
  }

  #arm(): void {
    this.isArmed = this.#parts.profile !== undefined || !this.#live.isEmpty || this.holds.isSet;
  }
}
