import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { nextId, nextNumber } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { TestName, Tests } from '../accounts/tests.ts';
import type { AppliedFault } from './applied-fault.ts';
import { effectRowOf } from './effects/effect-table.ts';
import { type FaultTarget, reasonsNotApplied } from './fault-rule.ts';
import type { FaultRule } from './fault-store.ts';
import {
  countFaultUse,
  deleteFault,
  deleteFaults,
  findFault,
  insertFault,
  uncountFaultUse,
  unusedFaults,
  usableFaults,
} from './fault-store.ts';
import { FaultWaits } from './fault-waits.ts';
import { Holds } from './holds.ts';
import type { LatencyProfile } from './latency-profile.ts';
import { MatchedRules, takesUnderRule } from './matched-rules.ts';

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

/** Each use is counted in a transaction and committed before its effect, so that parallel requests never exceed `times`. */
export class FaultRules {
  readonly holds: Holds;
  readonly waits: FaultWaits;
  readonly #parts: FaultRulesParts;
  readonly #live = new RuleIndex();
  readonly #polled = new Set<string>();
  readonly uses: RuleUses;

  constructor(parts: FaultRulesParts) {
    this.#parts = parts;
    this.uses = new RuleUses({ ...parts, live: this.#live });
    this.holds = parts.holds ?? new Holds(parts);
    this.waits = parts.waits ?? new FaultWaits(parts.clock);
  }

  /** The test that uses an account. */
  testOf(accountId: string): TestName | undefined {
    return this.#parts.tests.ofAccount(accountId);
  }

  /** If false, a request only pays for this check. */
  get isArmed(): boolean {
    const { profile } = this.#parts;
    return profile !== undefined || !this.#live.isEmpty || this.holds.isSet || this.waits.isWatched;
  }

  start(): void {
    this.#live.clear();
    const rules = usableFaults(this.#parts.database);
    for (const rule of rules) this.#live.add(rule);
  }

  /** Before a reset or a stop, held messages end with an error. */
  stop(): void {
    this.#live.clear();
    this.#polled.clear();
    this.holds.forget();
    this.waits.forget();
  }

  /** By default once. */
  add(wanted: NewRule): Promise<FaultRule> {
    const { ttlSeconds, times = 1, ...rest } = wanted;
    const given = { ...rest, times };
    const { database, random } = this.#parts;
    return database.transact((tx) => {
      const id = nextId(tx, random, 'fault', given.match.account_id ?? '');
      const expires = ttlSeconds === undefined ? null : tx.now + Math.round(ttlSeconds * 1000);
      const rule = insertFault(tx, { ...given, id, expires });
      tx.onCommit(() => this.#enter(rule));
      return rule;
    });
  }

  /** Returns false for an unknown rule. Sends the deliveries that the rule delays. */
  remove(id: string): Promise<boolean> {
    return this.#parts.database.transact((tx) => {
      const rule = findFault(tx, id);
      if (!rule) return false;
      deleteFault(tx, id);
      tx.onCommit(() => {
        this.#leave(rule);
        if (rule.effect.webhook === 'after_all') this.waits.hush(rule.match.account_id);
      });
      return true;
    });
  }

  removeAll(accountId: string | undefined): Promise<void> {
    return this.#parts.database.transact((tx) => {
      deleteFaults(tx, accountId);
      tx.onCommit(() => this.start());
    });
  }

  looksAt({ path, accountId, paid }: Pick<FaultTarget, 'path' | 'accountId' | 'paid'>): boolean {
    if ((this.#parts.profile && paid) || this.holds.isSet) return true;
    return this.#live.looksAt(path, accountId);
  }

  /** Their tests did not test what was intended. */
  unused(): FaultRule[] {
    return unusedFaults(this.#parts.database);
  }

  /** True at the first read of a job under the change `one_more_poll`. */
  isFirstPoll(jobId: string): boolean {
    const isFirst = !this.#polled.has(jobId);
    this.#polled.add(jobId);
    return isFirst;
  }

  #enter(rule: FaultRule): void {
    this.#live.remove(rule);
    this.#live.add(rule);
  }

  #leave(rule: FaultRule): void {
    this.#live.remove(rule);
  }
}

const NONE: readonly FaultRule[] = [];

/** By account, so that rules of other tests cost a request nothing. */
class RuleIndex {
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

  looksAt(path: string, accountId: string): boolean {
    const looks = ({ match }: FaultRule) => match.path === undefined || path.startsWith(match.path);
    return this.#global.some(looks) || (this.#scoped.get(accountId) ?? NONE).some(looks);
  }

  fitting(target: FaultTarget, now: number): FaultRule[] {
    const isFitting = (rule: FaultRule) =>
      (rule.expires === null || rule.expires > now) && reasonsNotApplied(rule, target).length === 0;
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

interface UseParts {
  database: Database;
  clock: Clock;
  random: Random;
  profile?: LatencyProfile | undefined;
  live: RuleIndex;
}

class RuleUses {
  readonly #parts: UseParts;

  constructor(parts: UseParts) {
    this.#parts = parts;
  }

  fitting(target: FaultTarget): FaultRule[] {
    return this.#parts.live.fitting(target, this.#parts.clock.now());
  }

  /** Resolves once the uses are committed. */
  async match(target: FaultTarget): Promise<MatchedRules | undefined> {
    const rules = this.fitting(target);
    if (rules.length === 0) return undefined;
    const matched = await this.#parts.database.transact((tx) => {
      const found = new MatchedRules(target.takes);
      for (const rule of rules) {
        const takes = this.#takes(tx, rule, target, found);
        if (takes.length > 0 && this.#use(tx, rule, target.accountId)) found.claim(rule, takes);
        if (found.isOver) break;
      }
      return found;
    });
    return matched.rules.length > 0 ? matched : undefined;
  }

  async drawLatency({ accountId, model, paid, streamed }: FaultTarget): Promise<AppliedFault | undefined> {
    const { database, profile } = this.#parts;
    if (!profile || !paid) return undefined;
    const drawn = database.transact((tx) => profile.draw(tx, accountId, { operation: paid, model, streamed }));
    return { rules: [], ...(await drawn) };
  }

  /** The request never started its work. */
  async giveBack(id: string): Promise<void> {
    await this.#parts.database.transact((tx) => {
      uncountFaultUse(tx, id);
      const rule = findFault(tx, id);
      if (rule) tx.onCommit(() => this.#restore(rule));
    });
  }

  /** Counts every matching request, even if another rule applies. */
  #takes(tx: Transaction, rule: FaultRule, { takes, accountId }: FaultTarget, found: MatchedRules): number[] {
    const matching = takesUnderRule(rule, takes);
    const { nth, test } = rule.match;
    if (nth === undefined || matching.length === 0) return found.free(rule, matching);
    const owner = test === undefined ? accountId : '';
    const next = () => nextNumber(tx, owner, `nth:${rule.id}`) === nth;
    if (effectRowOf(rule.kind).layer !== 'event') return next() ? found.free(rule, matching) : [];
    return found.free(rule, matching.filter(next));
  }

  #use(tx: Transaction, rule: FaultRule, accountId: string): boolean {
    if (!this.#isDrawn(tx, rule, accountId)) return false;
    const uses = countFaultUse(tx, rule.id);
    if (uses === undefined) return false;
    if (uses === rule.times) tx.onCommit(() => this.#parts.live.remove(rule));
    return true;
  }

  /** Independent of other accounts. */
  #isDrawn(tx: Transaction, { id, probability }: FaultRule, accountId: string): boolean {
    if (probability === 1) return true;
    const n = nextNumber(tx, accountId, `draw:${id}`);
    return this.#parts.random.chance(`${id}:${accountId}`, 'strike', n) < probability;
  }

  #restore(rule: FaultRule): void {
    this.#parts.live.remove(rule);
    this.#parts.live.add(rule);
  }
}
