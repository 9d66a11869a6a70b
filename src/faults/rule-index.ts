import { type FaultRule, type FaultTarget, fits } from './fault-rule.ts';

const NONE: readonly FaultRule[] = [];

/** The rules that may still apply, by the account they are scoped to: the rules of other tests cost a request nothing. */
export class RuleIndex {
  readonly #scoped = new Map<string, FaultRule[]>();
  #global: FaultRule[] = [];

  get isEmpty(): boolean {
    return this.#global.length === 0 && this.#scoped.size === 0;
  }

  /** Adds a rule, which may have been removed before, in the order of creation. */
  add(rule: FaultRule): void {
    const rules = this.#listOf(rule);
    const later = rules.findIndex(({ position }) => position > rule.position);
    rules.splice(later === -1 ? rules.length : later, 0, rule);
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
    const global = this.#global;
    const scoped = this.#scoped.get(target.accountId) ?? NONE;
    const found: FaultRule[] = [];
    for (let at = 0, own = 0; at < global.length || own < scoped.length; ) {
      const shared = global[at];
      const personal = scoped[own];
      const isOwn = !shared || (personal !== undefined && personal.position < shared.position);
      const rule = isOwn ? personal : shared;
      if (isOwn) own += 1;
      else at += 1;
      if (rule && (rule.expires === null || rule.expires > now) && fits(rule, target)) found.push(rule);
    }
    return found;
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
