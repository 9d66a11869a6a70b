import type { Hold } from '../data/effects.ts';

export interface FaultMatch {
  path?: string;
  method?: string;
  model?: string;
  contains?: string;
  account_id?: string;
  take?: number;
  nth?: number;
}

/** A rule as it is ordered; `times` 0: until it is deleted. */
export interface FaultOrder {
  match: FaultMatch;
  effect: object;
  times: number;
  probability?: number;
  ttl_seconds?: number;
}

export interface FaultRecord extends FaultOrder {
  id: string;
  says: string;
  strikes: number;
  remaining: number | null;
  probability: number;
  created: number;
  expires: number | null;
}

/** What strikes or holds: a fault rule, or a hold told in the same words. Stamps are unix seconds. */
export interface Rule {
  id: string;
  /** What the control surface lists it under, and how it was ordered. */
  path: '/faults' | '/holds';
  order: object;
  match: FaultMatch;
  says: string;
  count: { done: number; of: number };
  probability: number;
  created: number;
  expires: number | null;
}

const HOLDS = { request: 'Holds the request', answer: 'Holds the answer', delivery: 'Holds the delivery' };

export function ruleOfFault(rule: FaultRecord): Rule {
  const { id, match, effect, says, times, strikes, probability, ttl_seconds = null, created, expires } = rule;
  const order = { match, effect, times, probability, ...(ttl_seconds === null ? {} : { ttl_seconds }) };
  return {
    id,
    path: '/faults',
    order,
    match,
    says,
    count: { done: strikes, of: times },
    probability,
    created,
    expires,
  };
}

export function ruleOfHold({ id, match, at, times, caught, held, created }: Hold): Rule {
  const waits = held.length === 0 ? '' : `, ${held.length} ${held.length === 1 ? 'waits' : 'wait'}`;
  return {
    ...{ id, path: '/holds', order: { match, at, times }, match, says: HOLDS[at] + waits },
    ...{ count: { done: caught, of: times }, probability: 1, created: Date.parse(created) / 1000, expires: null },
  };
}

export type { SavedSnapshot as SnapshotRecord } from '../../../control/snapshot-control.ts';
