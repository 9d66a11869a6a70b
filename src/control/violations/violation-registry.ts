import type { Clock } from '../../base/clock/clock.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { FaultRule } from '../../engine/faults/fault-rule.ts';
import { ACTORS } from './actors.ts';
import {
  type ActiveViolation,
  type Actor,
  type Answer,
  type ArmedViolation,
  activeViolation,
  type EventDetails,
  type EventEnvelope,
  type Json,
  matchesOccasion,
  type Occasion,
  type RequestDetails,
  violationOfRule,
} from './violation.ts';
import { insertViolationMark } from './violation-store.ts';

interface ReachedViolation {
  violation: string;
  site: string;
  account_id: string;
  test?: string;
  times: number;
}

/** It acted if `times` is above 0. */
interface ActedViolation {
  id: string;
  /** Counts responses and files that were sent whole, deliveries that were sent, and committed rows. */
  times: number;
  sites: Readonly<Record<string, number>>;
  accounts: readonly string[];
  refused: number;
}

interface Changed<Original> {
  sent: Original;
  by: ActiveViolation[];
}

/** Shared by all violations of one response. */
type Details = Omit<RequestDetails, 'memory'>;

type Act<Original, Given> = (
  actor: Actor | undefined,
  original: Original,
  details: Given & { memory: Map<string, number> },
) => Original | undefined;

/** `arm`, `observe` and `acted` are for a run of `check` in this process. Other violations come from fault rules. */
export class ViolationRegistry {
  isOn = false;
  isDead = false;
  /** Called before a reset or a restore removes records. Never rejects. */
  onReplace: () => Promise<void> = async () => undefined;
  onJoin: (accountId: string, test: string) => Promise<void> = async () => undefined;
  readonly #clock: Pick<Clock, 'now'>;
  #observes = false;
  #armed: readonly ActiveViolation[] = [];
  #byHand: readonly ActiveViolation[] = [];
  #onApplied: (rule: FaultRule) => void = () => undefined;
  readonly #reached = new Map<string, ReachedViolation>();
  readonly #acted = new Map<string, ActedViolation>();
  readonly #tests = new Map<string, string>();
  readonly #memories = new Map<string, Map<string, number>>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get count(): number {
    return this.#armed.length + this.#byHand.length;
  }

  join(accountId: string, test: string): Promise<void> {
    this.#tests.set(accountId, test);
    return this.onJoin(accountId, test);
  }

  observe(on: boolean): void {
    if (on) {
      this.#reached.clear();
      this.#memories.clear();
    }
    this.#observes = on;
    this.#update();
  }

  reached(): ReachedViolation[] {
    return [...this.#reached.values()];
  }

  /** Replaces all armed violations, and clears `acted`. */
  arm(violations: readonly ArmedViolation[]): void {
    this.#acted.clear();
    this.#armed = violations.map(({ id, violation: name, site, account_id: accountId, test }) =>
      activeViolation({ id, name, site, accountId, test, match: {} }),
    );
    this.#update();
  }

  acted(): ActedViolation[] {
    return this.#armed.map(({ id }) => structuredClone(this.#acted.get(id) ?? notActed(id)));
  }

  setDead(isDead: boolean): void {
    this.isDead = isDead;
    this.#update();
  }

  setRules(rules: readonly FaultRule[], onApplied: (rule: FaultRule) => void): void {
    const known = new Map(this.#byHand.map((each) => [each.id, each]));
    this.#byHand = rules.map((rule) => known.get(rule.id) ?? violationOfRule(rule));
    this.#onApplied = onApplied;
    this.#update();
  }

  acting(name: string, occasion: Occasion): ActiveViolation | undefined {
    if (this.#observes) this.#note(name, occasion);
    return this.facing(occasion.accountId).find((each) => each.name === name && this.#claims(each, occasion));
  }

  /** For a request with an unknown key: only if exactly one such violation exists, and its test is running. */
  actingAlone(name: string, occasion: Occasion): ActiveViolation | undefined {
    if (this.#observes) this.#note(name, occasion);
    const [first, second] = [...this.#armed, ...this.#byHand].filter((each) => each.name === name);
    if (!first || second) return undefined;
    const isOfOther = first.test !== undefined && first.test !== this.#tests.get(occasion.accountId);
    return !isOfOther && this.#claims(first, occasion) ? first : undefined;
  }

  /** The newest account of the test; undefined if the violation applies to all. */
  accountOf({ accountId, test }: ActiveViolation): string | undefined {
    if (accountId !== undefined || test === undefined) return accountId;
    return [...this.#tests].findLast(([, each]) => each === test)?.[0];
  }

  facing(accountId: string): ActiveViolation[] {
    const test = this.#tests.get(accountId);
    const concerns = (each: ActiveViolation) =>
      (each.accountId === undefined || each.accountId === accountId) && (each.test === undefined || each.test === test);
    return [...this.#armed, ...this.#byHand].filter(concerns);
  }

  countAct(each: ActiveViolation, { site, accountId }: Occasion, isRefused = false): void {
    const { times, sites, accounts, refused } = this.#acted.get(each.id) ?? notActed(each.id);
    this.#acted.set(each.id, {
      id: each.id,
      times: times + 1,
      sites: { ...sites, [site]: (sites[site] ?? 0) + 1 },
      accounts: accounts.includes(accountId) ? accounts : [...accounts, accountId],
      refused: refused + Number(isRefused),
    });
    each.left -= 1;
    if (each.rule) this.#onApplied(each.rule);
  }

  /** Counts once the transaction is committed. */
  mark(
    tx: Transaction,
    each: ActiveViolation,
    occasion: Occasion,
    { ref, detail }: { ref: string; detail: string },
  ): void {
    insertViolationMark(tx, { accountId: occasion.accountId, violation: each.name, ref, detail });
    tx.onCommit(() => this.countAct(each, occasion));
  }

  /** Undefined if the response stays unchanged. */
  changeAnswer(original: Answer, details: Details): Changed<Answer> | undefined {
    return this.#change(original, details, (actor, answer, request) => actor?.answer?.(answer, request));
  }

  changeStream(original: readonly Json[], details: Details): Changed<readonly Json[]> | undefined {
    return this.#change(original, details, (actor, chunks, request) => actor?.stream?.(chunks, request));
  }

  /** `none` if the event is not sent. An event without an endpoint stays unchanged. */
  changeEvent(original: EventEnvelope, details: EventDetails): Changed<EventEnvelope | 'none'> | undefined {
    const { wants, event: type = '' } = details;
    return this.#change<EventEnvelope | 'none', EventDetails>(original, details, (actor, event) => {
      const sent = event === 'none' ? undefined : actor?.event?.(event, details);
      return sent && wants(sent === 'none' ? type : sent.type) ? sent : undefined;
    });
  }

  #change<Original, Given extends Occasion>(
    original: Original,
    details: Given,
    act: Act<Original, Given>,
  ): Changed<Original> | undefined {
    if (this.#observes) this.#observe(original, details, act);
    const by: ActiveViolation[] = [];
    let sent = original;
    for (const each of this.facing(details.accountId)) {
      const next = act(ACTORS.get(each.name), sent, { ...details, memory: each.memory });
      if (next === undefined || !this.#claims(each, details)) continue;
      sent = next;
      by.push(each);
    }
    return by.length > 0 ? { sent, by } : undefined;
  }

  #observe<Original, Given extends Occasion>(original: Original, details: Given, act: Act<Original, Given>): void {
    for (const [name, actor] of ACTORS) {
      const memory = this.#memories.get(name) ?? new Map<string, number>();
      this.#memories.set(name, memory);
      if (act(actor, original, { ...details, memory }) !== undefined) this.#note(name, details);
    }
  }

  #claims(each: ActiveViolation, occasion: Occasion): boolean {
    const isOver = typeof each.rule?.expires === 'number' && each.rule.expires <= this.#clock.now();
    if (each.left <= 0 || isOver || !matchesOccasion(each, occasion)) return false;
    const seen = (each.seen.get(occasion.accountId) ?? 0) + 1;
    each.seen.set(occasion.accountId, seen);
    return each.match.nth === undefined || each.match.nth === seen;
  }

  #note(violation: string, { site, accountId }: Occasion): void {
    // After a reset, ids of accounts repeat.
    const test = this.#tests.get(accountId);
    const key = JSON.stringify([violation, site, accountId, test]);
    const known = this.#reached.get(key) ?? { violation, site, account_id: accountId, ...(test && { test }), times: 0 };
    this.#reached.set(key, { ...known, times: known.times + 1 });
  }

  #update(): void {
    this.isOn = this.isDead || this.#observes || this.count > 0;
  }
}

function notActed(id: string): ActedViolation {
  return { id, times: 0, sites: {}, accounts: [], refused: 0 };
}

export function namesOf(by: readonly ActiveViolation[]): string {
  return by.map(({ name }) => name).join(', ');
}
