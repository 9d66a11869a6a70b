import { useMemo } from 'react';
import type { EffectKind, Hold } from '../data/holds.ts';
import { useList } from '../data/queries.ts';
import type { Listed } from '../data/records.ts';
import { effectOf } from '../pieces/form.tsx';
import type { Draft } from '../pieces/form-field.tsx';
import { formatNumber, lengthOfTime, type Tone } from '../pieces/values.tsx';

type FaultRecord = Listed<'listFaults'>;
type FaultMatch = Partial<FaultRecord['match']>;

/** A row of the list: a fault rule, or a breakpoint in the same shape. Timestamps are unix seconds. */
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

function ruleOfFault(rule: FaultRecord): Rule {
  const { id, match, effect, says, times, strikes, probability, ttl_seconds, created, expires } = rule;
  const order = { match, effect, times, probability, ...(ttl_seconds === null ? {} : { ttl_seconds }) };
  const count = { done: strikes, of: times };
  return { id, path: '/faults', order, match, says, count, probability, created, expires };
}

function ruleOfHold({ id, match, at, times, caught, held, created }: Hold): Rule {
  const waits = held.length === 0 ? '' : `, ${held.length} ${held.length === 1 ? 'waits' : 'wait'}`;
  return {
    ...{ id, path: '/holds', order: { match, at, times }, match, says: HOLDS[at] + waits },
    ...{ count: { done: caught, of: times }, probability: 1, created: Date.parse(created) / 1000, expires: null },
  };
}

export type { SavedSnapshot as SnapshotRecord } from '../../../control/snapshots.ts';

/** Fault rules and breakpoints, breakpoints first, because messages may wait in them. */
export function useRules(): { rules: Rule[]; error: Error | null; isPending: boolean } {
  const faults = useList<FaultRecord>('/faults');
  const holds = useList<Hold>('/holds');
  const rules = useMemo(
    () => [...(holds.data ?? []).map(ruleOfHold), ...(faults.data ?? []).map(ruleOfFault)],
    [holds.data, faults.data],
  );
  return { rules, error: faults.error ?? holds.error, isPending: faults.isPending || holds.isPending };
}

/** Which requests a rule means; `accountId` is whose page this is. */
export function matchText({ path, method, model, contains, take, nth, account_id }: FaultMatch, accountId?: string) {
  const whose = account_id === accountId ? 'this account' : account_id;
  const told = { 'the one numbered': nth, take, of: account_id && whose, with: contains && `“${contains}”` };
  const parts = Object.entries(told).map(([word, value]) => value && `${word} ${value}`);
  return [method, path, model, ...parts].filter(Boolean).join(' ') || 'every request';
}

/** `2 of 3`; `5, no end`. */
export function strikesText({ count: { done, of } }: Rule): string {
  return of === 0 ? `${formatNumber(done)}, no end` : `${done} of ${of}`;
}

/** What a rule still does. */
export function stateOf({ expires, count: { done, of } }: Rule, now: number): { text: string; tone: Tone } {
  if (of !== 0 && done >= of) return { text: 'used up', tone: 'plain' };
  if (expires !== null && expires <= now) return { text: 'expired', tone: 'plain' };
  if (expires !== null) return { text: `${lengthOfTime(expires - now)} left`, tone: 'wait' };
  return { text: 'armed', tone: 'wait' };
}

/** Used instead of an effect: a matching message waits until the user decides. */
export const HOLD = 'hold';

/** What a draft orders, and of whom. */
export function orderOf(
  draft: Draft,
  kinds: readonly EffectKind[],
  accountId: string | undefined,
): { path: '/faults' | '/holds'; order: object } {
  const { kind: name, at, times } = draft;
  const match = matchOf(draft, accountId);
  if (name === HOLD) return { path: '/holds', order: { match, at, times: Number(times) } };
  const kind = kinds.find((each) => each.kind === name);
  return { path: '/faults', order: faultOf(draft, match, kind ? effectOf(kind, draft) : {}) };
}

function matchOf({ path, method, model, contains, whose }: Draft, accountId: string | undefined): object {
  const account_id = whose === 'mine' ? accountId : undefined;
  const given = Object.entries({ path, method, model, contains, account_id });
  return Object.fromEntries(given.filter(([, value]) => value));
}

function faultOf({ times, chance, ttl_seconds: life }: Draft, match: object, effect: object): object {
  return {
    ...{ match, effect, times: Number(times) },
    ...(chance !== '100' && { probability: Number(chance) / 100 }),
    ...(life && { ttl_seconds: Number(life) }),
  };
}
