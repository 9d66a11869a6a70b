import type { Clock } from '../../base/clock/clock.ts';
import type { Reader } from '../../base/database/transaction.ts';
import type { FaultRule } from '../../engine/faults/fault-rule.ts';
import type { AlteredRow, StandingRules } from '../../engine/faults/standing-rules.ts';
import {
  type ActiveViolation,
  type Actors,
  type Answer,
  type ArmedViolation,
  active,
  type EventDetails,
  type EventEnvelope,
  isAt,
  type Json,
  type Occasion,
  ofRule,
  type RequestDetails,
} from './violation.ts';
import { allViolationMarks } from './violation-store.ts';
import { COMPATIBLE_CHANGES, requireViolation, VIOLATIONS } from './violation-table.ts';

/** What the traffic since `observe(true)` could have carried. */
export interface ReachedViolation {
  violation: string;
  site: string;
  /** Empty where the request has no account. */
  account_id: string;
  unit?: string;
  /** How often. */
  times: number;
}

/** What became of an armed violation. It acted when `times` is above 0. */
export interface ActedViolation {
  id: string;
  /**
   * Answers and files whose last byte was written to a connection that was not reset, deliveries that were sent to a
   * receiver, whatever it answered, and rows of a deep violation that were committed.
   */
  times: number;
  /** How often at each site. */
  sites: Readonly<Record<string, number>>;
  /** Whose requests it changed. */
  accounts: readonly string[];
  /** Deliveries that the receiver answered 4xx. */
  refused: number;
}

/** What is sent in place of the original, and by which violations. */
interface Found<Original> {
  sent: Original;
  by: ActiveViolation[];
}

/** What is known of an answer, whatever violations there are. */
type Facts = Omit<RequestDetails, 'memory'>;

type Act<Original, Given> = (
  name: string,
  original: Original,
  details: Given & { memory: Map<string, number> },
) => Original | undefined;

interface Acts {
  times: number;
  sites: Record<string, number>;
  accounts: Set<string>;
  refused: number;
}

/**
 * What this emulator gets wrong on purpose. Without a violation, a request pays for the check of `isOn` alone.
 * `arm`, `observe` and `acted` are for a run of `check` in this process; rules made by hand come from the fault rules.
 */
export class Violations implements StandingRules {
  /** Whether a violation could act, or is watched for. */
  isOn = false;
  /** Whether every request is answered 500 with an empty body. */
  isDead = false;
  /** Whether `note` notes which violations could act. */
  observes = false;
  /** Called when a rule made by hand was applied. */
  onApplied: (rule: FaultRule) => void = () => undefined;
  /** Called before a reset or a restore forgets what is on record; it never rejects. */
  onReplace: () => Promise<void> = async () => undefined;
  /** Called when an account is made for a unit, before its key is known to anybody. */
  onJoin: (accountId: string, unit: string) => Promise<void> = async () => undefined;
  readonly #switches: ((isOn: boolean) => void)[] = [];
  readonly #clock: Pick<Clock, 'now'>;
  #actors: Actors = new Map();
  #armed: readonly ActiveViolation[] = [];
  #byHand: readonly ActiveViolation[] = [];
  readonly #reached = new Map<string, ReachedViolation>();
  readonly #acted = new Map<string, Acts>();
  readonly #units = new Map<string, string>();
  /** What is remembered during a baseline run, by violation. */
  readonly #memories = new Map<string, Map<string, number>>();

  constructor({ clock }: { clock: Pick<Clock, 'now'> }) {
    this.#clock = clock;
  }

  requireUse(order: Parameters<StandingRules['requireUse']>[0]): void {
    requireViolation(order);
  }

  optionsOf(field: string): string[][] | undefined {
    if (field === 'compatible_change') return COMPATIBLE_CHANGES.map((name) => [name, name]);
    return field === 'violation' ? VIOLATIONS.map(({ name, harm }) => [name, name, harm]) : undefined;
  }

  altered(db: Reader): AlteredRow[] {
    return allViolationMarks(db).map(({ violation, ref, detail }) => ({ by: violation, ref, detail }));
  }

  /** How many violations could act now. */
  get count(): number {
    return this.#armed.length + this.#byHand.length;
  }

  /** Counts an account, also from now on, as part of a unit. */
  join(accountId: string, unit: string): Promise<void> {
    this.#units.set(accountId, unit);
    return this.onJoin(accountId, unit);
  }

  /** Starts or stops noting, in a baseline run, which violations could act. A start forgets what was noted before. */
  async observe(on: boolean): Promise<void> {
    if (on) {
      this.#reached.clear();
      this.#memories.clear();
    }
    await this.ready();
    this.observes = on;
    this.#update();
  }

  reached(): ReachedViolation[] {
    return [...this.#reached.values()];
  }

  /** Arms these in place of those before; an empty list ends all. Forgets what `acted` reported. */
  async arm(violations: readonly ArmedViolation[]): Promise<void> {
    await this.ready();
    this.#acted.clear();
    this.#armed = violations.map(({ id, violation, site, account_id: accountId, unit }) =>
      active({ id, violation, site, accountId, unit, match: {} }),
    );
    this.#update();
  }

  /** What became of every armed violation, in their order. */
  acted(): ActedViolation[] {
    return this.#armed.map(({ id }) => {
      const { times = 0, sites = {}, accounts = [], refused = 0 } = this.#acted.get(id) ?? {};
      return { id, times, sites: { ...sites }, accounts: [...accounts], refused };
    });
  }

  /** Every request of the service and the CDN is answered 500 with an empty body, and nothing is done. */
  setDead(isDead: boolean): void {
    this.isDead = isDead;
    this.#update();
  }

  /** The rules that were made by hand and may still act. */
  async set(rules: readonly FaultRule[]): Promise<void> {
    if (rules.length > 0) await this.ready();
    const known = new Map(this.#byHand.map((each) => [each.id, each]));
    this.#byHand = rules.map((rule) => known.get(rule.id) ?? ofRule(rule));
    this.#update();
  }

  /** A rule that was made by hand. How it acts was loaded before. */
  enter(rule: FaultRule): void {
    this.#byHand = [...this.#byHand, ofRule(rule)];
    this.#update();
  }

  leave(id: string): void {
    this.#byHand = this.#byHand.filter((each) => each.id !== id);
    this.#update();
  }

  clear(): void {
    this.#byHand = [];
    this.#update();
  }

  /**
   * A seam that is `idle` while no violation may act, so that a request pays nothing for violations, and `acting` otherwise. What may
   * be left of earlier violations is for `idle` too.
   */
  switched<Seam extends object>(idle: Seam, acting: Seam): Seam {
    const seam = { ...idle };
    this.#switches.push((isOn) => Object.assign(seam, isOn ? acting : idle));
    return seam;
  }

  /** Loads how violations act, which nothing needs before there is one. */
  async ready(): Promise<void> {
    if (this.#actors.size === 0) this.#actors = (await import('./actors.ts')).ACTORS;
  }

  /** The violation of this name that is to act on an occasion, on which it can act; notes that it can. */
  acting(violation: string, occasion: Occasion): ActiveViolation | undefined {
    if (this.observes) this.note(violation, occasion);
    return this.facing(occasion.accountId).find((each) => each.violation === violation && this.claims(each, occasion));
  }

  /** The same on a request whose key is unknown: where there is one such violation alone, and it is not for a test that does not run. */
  actingAlone(violation: string, occasion: Occasion): ActiveViolation | undefined {
    if (this.observes) this.note(violation, occasion);
    const [first, second] = [...this.#armed, ...this.#byHand].filter((each) => each.violation === violation);
    if (!first || second) return undefined;
    const isOfOther = first.unit !== undefined && first.unit !== this.#units.get(occasion.accountId);
    return !isOfOther && this.claims(first, occasion) ? first : undefined;
  }

  /** The account that a violation is for: of a unit the newest; undefined for everybody's. */
  accountOf({ accountId, unit }: ActiveViolation): string | undefined {
    if (accountId !== undefined || unit === undefined) return accountId;
    return [...this.#units].findLast(([, each]) => each === unit)?.[0];
  }

  /** Those that could concern an account. */
  facing(accountId: string): ActiveViolation[] {
    const unit = this.#units.get(accountId);
    const concerns = (each: ActiveViolation) =>
      (each.accountId === undefined || each.accountId === accountId) && (each.unit === undefined || each.unit === unit);
    return [...this.#armed, ...this.#byHand].filter(concerns);
  }

  /** Whether a violation that can act on an occasion is to: by its site and match, and by how often it could. */
  claims(each: ActiveViolation, occasion: Occasion): boolean {
    if (each.left <= 0 || !isAt(each, occasion) || this.#isOver(each)) return false;
    const seen = (each.seen.get(occasion.accountId) ?? 0) + 1;
    each.seen.set(occasion.accountId, seen);
    return each.match.nth === undefined || each.match.nth === seen;
  }

  /** Counts that it acted: its bytes have left, its delivery was answered, or its row was committed. */
  countAct(
    each: ActiveViolation,
    { site, accountId }: Occasion,
    { refused = false }: { refused?: boolean } = {},
  ): void {
    const acts = this.#acted.get(each.id) ?? { times: 0, sites: {}, accounts: new Set<string>(), refused: 0 };
    this.#acted.set(each.id, acts);
    acts.times += 1;
    acts.sites[site] = (acts.sites[site] ?? 0) + 1;
    acts.accounts.add(accountId);
    if (refused) acts.refused += 1;
    each.left -= 1;
    if (each.rule) this.onApplied(each.rule);
  }

  /** In a baseline run: this violation could have acted. */
  note(violation: string, { site, accountId }: Occasion): void {
    // After a reset an account of another test may have the same id.
    const unit = this.#units.get(accountId);
    const key = JSON.stringify([violation, site, accountId, unit]);
    const known = this.#reached.get(key);
    if (known) known.times += 1;
    else
      this.#reached.set(key, { violation, site, account_id: accountId, times: 1, ...(unit !== undefined && { unit }) });
  }

  /** The answer that leaves in place of the original; undefined where it stays as it is. */
  answered(original: Answer, facts: Facts): Found<Answer> | undefined {
    return this.#violated(original, facts, (name, answer, request) =>
      this.#actors.get(name)?.answer?.(answer, request),
    );
  }

  /** The events of a stream that leave in place of the original ones. */
  streamed(original: readonly Json[], facts: Facts): Found<readonly Json[]> | undefined {
    return this.#violated(original, facts, (name, chunks, request) =>
      this.#actors.get(name)?.stream?.(chunks, request),
    );
  }

  /** The event that is sent in place of the original; `none` where it is not. One that no endpoint gets stays as it is. */
  published(original: EventEnvelope, facts: EventDetails): Found<EventEnvelope | 'none'> | undefined {
    const { wants, event: type = '' } = facts;
    return this.#violated<EventEnvelope | 'none', EventDetails>(original, facts, (name, event) => {
      const sent = event === 'none' ? undefined : this.#actors.get(name)?.event?.(event, facts);
      return sent && wants(sent === 'none' ? type : sent.type) ? sent : undefined;
    });
  }

  /** Notes which violations could act on the original, and has those act that are armed, one after another. */
  #violated<Original, Given extends Occasion>(
    original: Original,
    facts: Given,
    act: Act<Original, Given>,
  ): Found<Original> | undefined {
    if (this.observes) this.#observe(original, facts, act);
    const by: ActiveViolation[] = [];
    let sent = original;
    for (const each of this.facing(facts.accountId)) {
      const next = act(each.violation, sent, { ...facts, memory: each.memory });
      if (next === undefined || !this.claims(each, facts)) continue;
      sent = next;
      by.push(each);
    }
    return by.length > 0 ? { sent, by } : undefined;
  }

  #observe<Original, Given extends Occasion>(original: Original, facts: Given, act: Act<Original, Given>): void {
    for (const name of this.#actors.keys()) {
      const memory = this.#memories.get(name) ?? new Map<string, number>();
      this.#memories.set(name, memory);
      if (act(name, original, { ...facts, memory }) !== undefined) this.note(name, facts);
    }
  }

  #isOver({ rule }: ActiveViolation): boolean {
    return typeof rule?.expires === 'number' && rule.expires <= this.#clock.now();
  }

  #update(): void {
    const was = this.isOn;
    this.isOn = this.isDead || this.observes || this.count > 0;
    if (this.isOn !== was) for (const turn of this.#switches) turn(this.isOn);
  }
}
