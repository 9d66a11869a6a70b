import type { EffectKindRecord } from '../../../control/documents.ts';
import type { HeldRecord, HoldRecord } from '../../../control/holds.ts';
import { callControl, recordSource } from './call-api.ts';
import { useList } from './queries.ts';

export interface Held extends HeldRecord {
  hold: string;
  at: HoldRecord['at'];
}

export function useEffects(): readonly EffectKindRecord[] {
  return useList<EffectKindRecord>('/effects').data ?? [];
}

export function useHeld(accountId?: string): readonly Held[] {
  const { data = [] } = useList<HoldRecord>('/holds', { enabled: recordSource.value === undefined });
  const held = data.flatMap(({ id, at, held: messages }) => messages.map((each) => ({ ...each, hold: id, at })));
  return held
    .filter(({ account_id }) => accountId === undefined || account_id === accountId)
    .sort((a, b) => a.since.localeCompare(b.since));
}

export function releaseHeld({ hold, id }: Held, effect?: object): Promise<unknown> {
  return callControl('POST', `/holds/${hold}/release`, { message: id, ...(effect && { effect }) });
}
