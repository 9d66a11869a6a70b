import type { Clock } from '../../base/clock/clock.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { type EmulatorError, invalid } from '../../base/errors.ts';
import { nearestName } from '../../base/text.ts';
import type { Effect } from '../../engine/faults/effects/effect-table.ts';
import type { FaultMatch, FaultRule } from '../../engine/faults/fault-rule.ts';
import type { AlteredRow, StandingRules } from '../../engine/faults/standing-rules.ts';
import { type ActiveLie, type ArmedLie, active, isAt, ofRule } from './active-lie.ts';
import type { Actors, Occasion } from './lie.ts';
import { LIBERTIES, LIES, type LieRow, lieRow, nearestLie, takesField } from './lie-table.ts';
import { allLied } from './lied-store.ts';

/** What the traffic since `observe(true)` could have carried. */
export interface ReachedLie {
  lie: string;
  field?: string;
  site: string;
  /** Empty where the request has no account. */
  account_id: string;
  unit?: string;
  /** How often. */
  times: number;
}

/** What became of an armed lie. It was told when `times` is above 0. */
export interface ToldLie {
  id: string;
  /**
   * Answers and files whose last byte was written to a connection that was not reset, deliveries that were sent to a
   * receiver, whatever it answered, and rows of a deep lie that were committed.
   */
  times: number;
  /** How often at each site. */
  sites: Readonly<Record<string, number>>;
  /** Whose requests it changed. */
  accounts: readonly string[];
  /** Deliveries that the receiver answered 4xx. */
  refused: number;
}

interface Telling {
  times: number;
  sites: Record<string, number>;
  accounts: Set<string>;
  refused: number;
}

/**
 * What this emulator tells otherwise than it is, on purpose. Without a lie, a request pays for the check of `isOn` alone.
 * `arm`, `observe` and `told` are for a run of `mutate` in this process; rules made by hand come from the fault rules.
 */
export class Lies implements StandingRules {
  /** Whether a lie could act, or is watched for. */
  isOn = false;
  /** Whether every request is answered 500 with an empty body. */
  isDead = false;
  /** Whether what could be told is noted, by `note`. */
  observes = false;
  /** Called when a rule made by hand was told. */
  onApplied: (rule: FaultRule) => void = () => undefined;
  /** Called before a reset or a restore forgets what is on record; it never rejects. */
  onReplace: () => Promise<void> = async () => undefined;
  /** Called when an account is made for a unit, before its key is known to anybody. */
  onJoin: (accountId: string, unit: string) => Promise<void> = async () => undefined;
  readonly #switches: ((isOn: boolean) => void)[] = [];
  readonly #clock: Pick<Clock, 'now'>;
  #actors: Actors = new Map();
  #armed: readonly ActiveLie[] = [];
  #byHand: readonly ActiveLie[] = [];
  readonly #reached = new Map<string, ReachedLie>();
  readonly #told = new Map<string, Telling>();
  readonly #units = new Map<string, string>();
  /** What is remembered while the truth is watched, by lie. */
  readonly #memories = new Map<string, Map<string, number>>();

  constructor({ clock }: { clock: Pick<Clock, 'now'> }) {
    this.#clock = clock;
  }

  requireUse(order: Parameters<StandingRules['requireUse']>[0]): void {
    requireLie(order);
  }

  optionsOf(field: string): string[][] | undefined {
    if (field === 'liberty') return LIBERTIES.map((name) => [name, name]);
    return field === 'lie' ? LIES.map(({ name, harm }) => [name, name, harm]) : undefined;
  }

  altered(db: Reader): AlteredRow[] {
    return allLied(db).map(({ lie, ref, detail }) => ({ by: lie, ref, detail }));
  }

  /** How many lies could act now. */
  get count(): number {
    return this.#armed.length + this.#byHand.length;
  }

  get actors(): Actors {
    return this.#actors;
  }

  /** Makes what is told of an account, also from now on, part of a unit. */
  join(accountId: string, unit: string): Promise<void> {
    this.#units.set(accountId, unit);
    return this.onJoin(accountId, unit);
  }

  /** Begins to note, on the truth, what could have been told, or ends it. A begin forgets what was noted before. */
  async observe(on: boolean): Promise<void> {
    if (on) {
      this.#reached.clear();
      this.#memories.clear();
    }
    await this.ready();
    this.observes = on;
    this.#update();
  }

  reached(): ReachedLie[] {
    return [...this.#reached.values()];
  }

  /** Arms these in place of those before; an empty list ends all. Forgets what `told` reported. */
  async arm(lies: readonly ArmedLie[]): Promise<void> {
    await this.ready();
    this.#told.clear();
    this.#armed = lies.map(({ id, lie, field, site, account_id: accountId, unit }) =>
      active({ id, lie, field, site, accountId, unit, match: {} }),
    );
    this.#update();
  }

  /** What became of every armed lie, in their order. */
  told(): ToldLie[] {
    return this.#armed.map(({ id }) => {
      const { times = 0, sites = {}, accounts = [], refused = 0 } = this.#told.get(id) ?? {};
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
   * A seam that is `idle` while no lie may act, so that a request pays nothing for lies, and `acting` otherwise. What may
   * be left of earlier lies is for `idle` too.
   */
  switched<Seam extends object>(idle: Seam, acting: Seam): Seam {
    const seam = { ...idle };
    this.#switches.push((isOn) => Object.assign(seam, isOn ? acting : idle));
    return seam;
  }

  /** Loads how lies act, which nothing needs before there is one. */
  async ready(): Promise<void> {
    if (this.#actors.size === 0) this.#actors = (await import('./actors.ts')).ACTORS;
  }

  /** The lie of this name that is to act on an occasion, on which it can act; notes that it can. */
  acting(lie: string, occasion: Occasion): ActiveLie | undefined {
    if (this.observes) this.note(lie, undefined, occasion);
    return this.facing(occasion.accountId).find((each) => each.lie === lie && this.claims(each, occasion));
  }

  /** The same on a request whose key is unknown: where there is one such lie alone, and it is not for a test that does not run. */
  actingAlone(lie: string, occasion: Occasion): ActiveLie | undefined {
    if (this.observes) this.note(lie, undefined, occasion);
    const [first, second] = [...this.#armed, ...this.#byHand].filter((each) => each.lie === lie);
    if (!first || second) return undefined;
    const isOfOther = first.unit !== undefined && first.unit !== this.#units.get(occasion.accountId);
    return !isOfOther && this.claims(first, occasion) ? first : undefined;
  }

  /** The account that a lie is for: of a unit the newest; undefined for everybody's. */
  accountOf({ accountId, unit }: ActiveLie): string | undefined {
    if (accountId !== undefined || unit === undefined) return accountId;
    return [...this.#units].findLast(([, each]) => each === unit)?.[0];
  }

  /** Those that could concern an account. */
  facing(accountId: string): ActiveLie[] {
    const unit = this.#units.get(accountId);
    const concerns = (each: ActiveLie) =>
      (each.accountId === undefined || each.accountId === accountId) && (each.unit === undefined || each.unit === unit);
    return [...this.#armed, ...this.#byHand].filter(concerns);
  }

  /** Whether a lie that can act on an occasion is to: by its site and match, and by how often it could. */
  claims(each: ActiveLie, occasion: Occasion): boolean {
    if (each.left <= 0 || !isAt(each, occasion) || this.#isOver(each)) return false;
    const seen = (each.seen.get(occasion.accountId) ?? 0) + 1;
    each.seen.set(occasion.accountId, seen);
    return each.match.nth === undefined || each.match.nth === seen;
  }

  memoryOf(lie: string): Map<string, number> {
    const known = this.#memories.get(lie) ?? new Map<string, number>();
    this.#memories.set(lie, known);
    return known;
  }

  /** It was told: its bytes have left, its delivery was answered, or its row was committed. */
  tell(each: ActiveLie, { site, accountId }: Occasion, { refused = false }: { refused?: boolean } = {}): void {
    const telling = this.#told.get(each.id) ?? { times: 0, sites: {}, accounts: new Set<string>(), refused: 0 };
    this.#told.set(each.id, telling);
    telling.times += 1;
    telling.sites[site] = (telling.sites[site] ?? 0) + 1;
    telling.accounts.add(accountId);
    if (refused) telling.refused += 1;
    each.left -= 1;
    if (each.rule) this.onApplied(each.rule);
  }

  /** On the truth: this could have been told. */
  note(lie: string, field: string | undefined, { site, accountId }: Occasion): void {
    // After a reset an account of another test may have the same id.
    const unit = this.#units.get(accountId);
    const key = JSON.stringify([lie, field, site, accountId, unit]);
    const known = this.#reached.get(key);
    if (known) known.times += 1;
    else {
      const given = { ...(field === undefined ? {} : { field }), ...(unit === undefined ? {} : { unit }) };
      this.#reached.set(key, { lie, site, account_id: accountId, times: 1, ...given });
    }
  }

  #isOver({ rule }: ActiveLie): boolean {
    return typeof rule?.expires === 'number' && rule.expires <= this.#clock.now();
  }

  #update(): void {
    const was = this.isOn;
    this.isOn = this.isDead || this.observes || this.count > 0;
    if (this.isOn !== was) for (const turn of this.#switches) turn(this.isOn);
  }
}

/** A rule as far as it is checked before it is made. */
interface LieOrder {
  match: FaultMatch;
  effect: Effect;
  probability?: number | undefined;
}

/** Throws `invalid_request` for a lie or a liberty that there is not, or that its rule could never tell. */
function requireLie({ match, effect, probability = 1 }: LieOrder): void {
  const { lie, liberty, field } = effect;
  if (probability !== 1) {
    throw invalid(
      'probability',
      'A lie acts until its rule is removed, each time that it can; leave probability out, or give times or match.nth.',
    );
  }
  if (match.contains !== undefined) {
    throw invalid(
      'match.contains',
      'match.contains looks at the texts of a request, and a lie at its answer; leave it out.',
    );
  }
  if (liberty !== undefined) requireLiberty(liberty);
  if (lie === undefined) return;
  const row = lieRow(lie);
  if (!row) throw unknownLie(lie);
  requireField(lie, field);
  requirePlace(match, row);
}

/** Names the nearest one. */
function unknownLie(name: string): EmulatorError {
  return invalid(
    'effect.lie',
    `effect.lie ${JSON.stringify(name)} is no lie. Did you mean ${nearestLie(name)}? GET /_emulator/lies lists them.`,
  );
}

function requireLiberty(name: string): void {
  if (LIBERTIES.some((each) => each === name)) return;
  throw invalid(
    'effect.liberty',
    `effect.liberty ${JSON.stringify(name)} is no liberty. Did you mean ${nearestName(name, LIBERTIES)}? There are ${LIBERTIES.join(', ')}.`,
  );
}

function requireField(lie: string, field: string | undefined): void {
  if (takesField(lie) && field === undefined) {
    throw invalid(
      'effect.field',
      `${lie} needs effect.field, a dotted path such as usage.credits_spent or data.*.seed.`,
    );
  }
  if (takesField(lie) || field === undefined) return;
  throw invalid(
    'effect.field',
    `effect.field has a meaning for field.missing, field.null and field.text only, not for ${lie}.`,
  );
}

function requirePlace({ path, event, content_type: type, take }: FaultMatch, { name, at, acts }: LieRow): void {
  const where = `${name} acts at ${at.join(', ')}`;
  if (path !== undefined && !at.some((prefix) => path.startsWith(prefix) || prefix.startsWith(path))) {
    throw invalid('match.path', `This rule can never tell its lie: ${where}. Change match.path, or leave it out.`);
  }
  if (event !== undefined && acts !== 'event' && !CHANGES_EVENTS.includes(name)) {
    throw invalid('match.event', `This rule can never tell its lie: ${name} changes no event. Leave match.event out.`);
  }
  if (type !== undefined && acts !== 'file') {
    throw invalid(
      'match.content_type',
      `This rule can never tell its lie: ${name} changes no file. Leave match.content_type out.`,
    );
  }
  if (take === undefined || at.some((prefix) => prefix === '/v1' || prefix === '/cdn' || prefix.startsWith(SONGS)))
    return;
  throw invalid(
    'match.take',
    `This rule can never tell its lie: only songs have takes, and ${where}. Leave match.take out.`,
  );
}

const SONGS = '/v1/music';

/** What changes answers and events alike. */
const CHANGES_EVENTS: readonly string[] = [
  ...['field.missing', 'field.null', 'field.text'],
  ...['seed.same', 'blocked.renamed', 'time.ms'],
];
