import type { Clock } from '../../base/clock/clock.ts';
import { stateReplacedError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Effect, EffectKind } from './effects/effect-table.ts';
import { type FaultTarget, reasonsNotMatched } from './fault-rule.ts';
import type { MatchConditions } from './fault-store.ts';
import type { RequestFaults } from './request-faults.ts';

/** What a hold stops: a request before its work, a response after it, or a delivery before it is sent. */
export const HOLD_POINTS = ['request', 'answer', 'delivery'] as const;
export type HoldPoint = (typeof HOLD_POINTS)[number];

interface HoldSettings {
  match: MatchConditions;
  at: HoldPoint;
  /** How many messages the hold stops; 0 means all, until the hold is deleted. */
  times: number;
}

/** `created` is the machine's time in milliseconds. */
export interface Hold extends HoldSettings {
  id: string;
  caught: number;
  created: number;
}

export interface HoldSubject {
  accountId: string;
  what: string;
  requestId?: string | undefined;
  deliveryId?: string | undefined;
}

/** `since` is the machine's time in milliseconds. */
export interface HeldMessage extends HoldSubject {
  id: string;
  since: number;
}

export interface HoldRelease {
  effect?: Effect | undefined;
}

const FITTING: Record<HoldPoint, readonly EffectKind[] | undefined> = {
  request: undefined,
  answer: ['status', 'delay_ms', 'drop', 'lost_response'],
  delivery: ['webhook'],
};

/** Whether a held message can be released with an effect of this kind. For a request, any kind fits. */
export function canReleaseWithEffect(kind: EffectKind, at: HoldPoint): boolean {
  return FITTING[at]?.includes(kind) ?? true;
}

export interface RequestHolds {
  requestHold?: string | undefined;
  /** The holds of the response, and of the deliveries that the request causes. */
  laterHolds?: RequestFaults | undefined;
}

const MAX_HOLD_MS = 600_000;

interface Waiting {
  holdId: string;
  message: HeldMessage;
  release(how: HoldRelease): void;
  overtake(error: Error): void;
}

interface Filling {
  request?: string;
  answer?: string;
  deliveries: (string | undefined)[];
}

interface HoldsParts {
  clock: Clock;
  random: Random;
}

/** Holds and held messages are kept in memory only [I234]. */
export class Holds {
  readonly #parts: HoldsParts;
  readonly #holds = new Map<string, Hold>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #seen = new Map<string, number>();
  #count = 0;
  /** If false, requests and deliveries need not be compared with holds. */
  isSet = false;
  onMessage: (message: HeldMessage) => void = () => {};

  constructor(parts: HoldsParts) {
    this.#parts = parts;
  }

  add(settings: HoldSettings): Hold {
    const hold = { ...settings, id: this.#name('hold'), caught: 0, created: this.#parts.clock.real() };
    this.#holds.set(hold.id, hold);
    this.#changed();
    return hold;
  }

  list(): Hold[] {
    return [...this.#holds.values()].reverse();
  }

  find(id: string): Hold | undefined {
    return this.#holds.get(id);
  }

  /**
   * The id of the newest hold for all deliveries of the account. It stops even deliveries of requests before the hold.
   */
  deliveryHoldOf(accountId: string): string | undefined {
    return this.list().find((hold) => catchesAllDeliveries(hold) && (hold.match.account_id ?? accountId) === accountId)
      ?.id;
  }

  heldBy(id: string): HeldMessage[] {
    return [...this.#waiting.values()].flatMap(({ holdId, message }) => (holdId === id ? [message] : []));
  }

  /**
   * The number of held requests and responses. Held deliveries do not count here, because they count as due deliveries.
   */
  pending(accountId?: string): number {
    const held = [...this.#waiting.values()].filter(({ message }) => message.deliveryId === undefined);
    return held.filter(({ message }) => accountId === undefined || message.accountId === accountId).length;
  }

  release(id: string, { effect, message }: HoldRelease & { message?: string | undefined } = {}): number {
    const held = this.heldBy(id).filter((each) => message === undefined || each.id === message);
    for (const each of held) this.#waiting.get(each.id)?.release({ effect });
    return held.length;
  }

  remove(id: string): void {
    this.#holds.delete(id);
    this.release(id);
    this.#changed();
  }

  /**
   * Ends all holds before a reset or a stop. Held requests and responses end with an error, and deliveries stay due.
   */
  forget(): void {
    for (const waiting of [...this.#waiting.values()]) waiting.overtake(stateReplacedError());
    this.#holds.clear();
    this.#seen.clear();
    this.#changed();
  }

  catch(target: FaultTarget): RequestHolds | undefined {
    const fitting = this.#live().filter(({ match }) => reasonsNotMatched(match, target).length === 0);
    if (fitting.length === 0) return undefined;
    const caught: Filling = { deliveries: Array.from<string | undefined>({ length: target.takeCount }) };
    for (const hold of fitting) this.#catchBy(hold, target, caught);
    return { requestHold: caught.request, laterHolds: faultsOf(caught) };
  }

  #catchBy(hold: Hold, { takeCount, announces }: FaultTarget, caught: Filling): void {
    const { at, match } = hold;
    if (at !== 'delivery') {
      if (this.#counts(hold) && !caught[at]) caught[at] = this.#claim(hold);
      return;
    }
    for (let take = 1; announces && take <= takeCount; take += 1) {
      if (match.take !== undefined && match.take !== take) continue;
      if (this.#counts(hold)) caught.deliveries[take - 1] ??= this.#claim(hold);
    }
  }

  /**
   * Holds a message until its release, at most ten minutes. Returns immediately if the hold was deleted. Rejects with
   * the reason of `gone`, or with `stateReplacedError` at a reset or a stop.
   */
  hold(holdId: string, about: HoldSubject, gone?: AbortSignal): Promise<HoldRelease> {
    if (!this.#holds.has(holdId)) return Promise.resolve({});
    gone?.throwIfAborted();
    const message = { ...about, id: this.#name('held'), since: this.#parts.clock.real() };
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        cancel();
        this.#waiting.delete(message.id);
        gone?.removeEventListener('abort', leave);
        settle();
        this.onMessage(message);
      };
      const leave = () => finish(() => reject(gone?.reason));
      const release = (how: HoldRelease) => finish(() => resolve(how));
      const cancel = this.#parts.clock.after(MAX_HOLD_MS, () => release({}));
      gone?.addEventListener('abort', leave);
      const overtake = (error: Error) => finish(() => reject(error));
      this.#waiting.set(message.id, { holdId, message, release, overtake });
      this.onMessage(message);
    });
  }

  #changed(): void {
    this.isSet = this.#live().length > 0;
  }

  #live(): Hold[] {
    return [...this.#holds.values()].filter(({ times, caught }) => times === 0 || caught < times);
  }

  /** Whether the hold stops this message. Every matching message counts for `nth`, even if another hold stops it. */
  #counts({ id, match: { nth }, times, caught }: Hold): boolean {
    const n = (this.#seen.get(id) ?? 0) + 1;
    this.#seen.set(id, n);
    return (nth === undefined || n === nth) && (times === 0 || caught < times);
  }

  #claim(hold: Hold): string {
    hold.caught += 1;
    this.#changed();
    return hold.id;
  }

  #name(prefix: string): string {
    this.#count += 1;
    return `${prefix}_${this.#parts.random.name('', prefix, this.#count)}`;
  }
}

function faultsOf({ answer, deliveries }: Filling): RequestFaults | undefined {
  if (answer === undefined && deliveries.every((hold) => hold === undefined)) return undefined;
  const jobs = deliveries.map((hold) => (hold === undefined ? {} : { hold }));
  return { ruleIds: [], jobs, ...(answer === undefined ? {} : { hold: answer }) };
}

function catchesAllDeliveries({ at, times, match }: Hold): boolean {
  return (
    at === 'delivery' &&
    times === 0 &&
    Object.entries(match).every(([key, value]) => key === 'account_id' || value === undefined)
  );
}
