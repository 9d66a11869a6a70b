import type { Effect, EffectKind } from './effects/effect-table.ts';
import type { FaultMatch } from './fault-rule.ts';

/** Where a message can be held: a request before its work, an answer after it, a delivery before it is sent. */
export const HOLD_POINTS = ['request', 'answer', 'delivery'] as const;
export type HoldPoint = (typeof HOLD_POINTS)[number];

export interface HoldOrder {
  match: FaultMatch;
  at: HoldPoint;
  /** How many messages it catches; 0: all until it is deleted. */
  times: number;
}

/** Something that catches messages. `created` is the machine's time in milliseconds. */
export interface Hold extends HoldOrder {
  id: string;
  /** How many it has caught. */
  caught: number;
  created: number;
}

/** What is held, as lists show it. */
export interface Message {
  accountId: string;
  /** Such as `POST /v1/music/generations`, `delivery music.generation.succeeded`. */
  what: string;
  requestId?: string | undefined;
  deliveryId?: string | undefined;
}

/** A message that waits; `since` is the machine's time in milliseconds. */
export interface HeldMessage extends Message {
  id: string;
  since: number;
}

/** How a message is released: as it is, or with the effect of a fault rule. */
export interface Release {
  effect?: Effect | undefined;
}

const FITTING: Record<HoldPoint, readonly EffectKind[] | undefined> = {
  request: undefined,
  answer: ['status', 'delay_ms', 'drop', 'lost_answer'],
  delivery: ['webhook'],
};

/** Whether what is held can be released with an effect; a request with any that can act on it. */
export function fits(kind: EffectKind, at: HoldPoint): boolean {
  return FITTING[at]?.includes(kind) ?? true;
}

/** The holds that caught one request, by what of it they hold; deliveries by the take that they announce. */
export interface Caught {
  request?: string;
  answer?: string;
  deliveries: readonly (string | undefined)[];
}
