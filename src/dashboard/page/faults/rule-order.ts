import type { EffectKind } from '../data/effects.ts';
import { effectOf } from '../pieces/effect-draft.ts';
import type { Draft } from '../pieces/form-input.tsx';
import type { FaultMatch, FaultOrder } from './fault-records.ts';

/** In place of an effect: what fits waits until somebody decides. */
export const HOLD = 'hold';

export const NEW_RULE: Draft = { kind: 'status', at: 'request', times: '1', chance: '100', whose: 'all' };

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

function matchOf({ path, method, model, contains, whose }: Draft, accountId: string | undefined): FaultMatch {
  return {
    ...(path && { path }),
    ...(method && { method }),
    ...(model && { model }),
    ...(contains && { contains }),
    ...(whose === 'mine' && accountId && { account_id: accountId }),
  };
}

function faultOf({ times, chance, ttl_seconds: life }: Draft, match: FaultMatch, effect: object): FaultOrder {
  return {
    ...{ match, effect, times: Number(times) },
    ...(chance !== '100' && { probability: Number(chance) / 100 }),
    ...(life && { ttl_seconds: Number(life) }),
  };
}
