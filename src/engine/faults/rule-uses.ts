import type { Clock } from '../../base/clock/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { nextNumber } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { AppliedFault } from './applied-fault.ts';
import { rowOf } from './effects/effect-table.ts';
import type { FaultRule, FaultTarget } from './fault-rule.ts';
import { countUse, findFault, uncountUse } from './fault-store.ts';
import type { LatencyProfile } from './latency-profile.ts';
import { MatchedRules, takesOf } from './matched-rules.ts';

/** The rules that may still apply. */
interface LiveRules {
  /** Those that fit a request at this time, in the order of creation. */
  fitting(target: FaultTarget, now: number): FaultRule[];
  add(rule: FaultRule): void;
  remove(rule: FaultRule): void;
}

interface UseParts {
  database: Database;
  clock: Clock;
  random: Random;
  profile?: LatencyProfile | undefined;
  live: LiveRules;
  /** Called when a rule was used up, or has a use more again. */
  onChange(): void;
}

/** Counts the uses of rules by requests. */
export class RuleUses {
  readonly #parts: UseParts;

  constructor(parts: UseParts) {
    this.#parts = parts;
  }

  /** The rules that fit a request now. */
  fitting(target: FaultTarget): FaultRule[] {
    return this.#parts.live.fitting(target, this.#parts.clock.now());
  }

  /** Applies in each layer the first rule that fits and is drawn; resolves when its use is committed. */
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

  /** The next draw of the latency profile for a request. */
  async drawLatency({ accountId, model, paid, streamed }: FaultTarget): Promise<AppliedFault | undefined> {
    const { database, profile } = this.#parts;
    if (!profile || !paid) return undefined;
    const drawn = database.transact((tx) => profile.draw(tx, accountId, { operation: paid, model, streamed }));
    return { rules: [], ...(await drawn) };
  }

  /** The request never came to its work: the rule has one use more again. */
  async giveBack(id: string): Promise<void> {
    await this.#parts.database.transact((tx) => {
      uncountUse(tx, id);
      const rule = findFault(tx, id);
      if (rule) tx.onCommit(() => this.#restore(rule));
    });
  }

  /** Which takes a rule would apply to. It counts every request that matches, whether or not this or another rule applies. */
  #takes(tx: Transaction, rule: FaultRule, { takes, accountId }: FaultTarget, found: MatchedRules): number[] {
    const matching = takesOf(rule, takes);
    const { nth } = rule.match;
    if (nth === undefined || matching.length === 0) return found.free(rule, matching);
    const next = () => nextNumber(tx, accountId, `nth:${rule.id}`) === nth;
    if (rowOf(rule.kind).layer !== 'event') return next() ? found.free(rule, matching) : [];
    return found.free(rule, matching.filter(next));
  }

  #use(tx: Transaction, rule: FaultRule, accountId: string): boolean {
    if (!this.#isDrawn(tx, rule, accountId)) return false;
    const uses = countUse(tx, rule.id);
    if (uses === undefined) return false;
    if (uses === rule.times) tx.onCommit(() => this.#end(rule));
    return true;
  }

  /** Drawn by the account and its nth request, independent of other accounts. */
  #isDrawn(tx: Transaction, { id, probability }: FaultRule, accountId: string): boolean {
    if (probability === 1) return true;
    const n = nextNumber(tx, accountId, `draw:${id}`);
    return this.#parts.random.chance(`${id}:${accountId}`, 'strike', n) < probability;
  }

  #end(rule: FaultRule): void {
    this.#parts.live.remove(rule);
    this.#parts.onChange();
  }

  #restore(rule: FaultRule): void {
    this.#parts.live.remove(rule);
    this.#parts.live.add(rule);
    this.#parts.onChange();
  }
}
