import type { WireInput } from '../../../control/call-operation.ts';
import { callControl, traceSource } from './call-api.ts';
import { useRows } from './queries.ts';
import type { FaultEffectDefinition, Hold } from './records.ts';

export type HeldMessageRow = Hold['held'][number] & { hold: string; at: Hold['at'] };

export function useFaultEffectDefinitions(): readonly FaultEffectDefinition[] {
  return useRows('listEffects', {}).data ?? [];
}

export function useHeldMessages(accountId?: string): readonly HeldMessageRow[] {
  const { data = [] } = useRows('listHolds', {}, { enabled: traceSource.value === undefined });
  const held = data.flatMap(({ id, at, held: messages }) => messages.map((each) => ({ ...each, hold: id, at })));
  return held
    .filter(({ account_id }) => accountId === undefined || account_id === accountId)
    .sort((a, b) => a.since.localeCompare(b.since));
}

export function releaseHeldMessage({ hold, id }: HeldMessageRow, effect?: FaultEffectInput): Promise<unknown> {
  return callControl('releaseHold', { id: hold, message: id, ...(effect && { effect }) });
}

export type FaultEffectInput = WireInput<'createFault'>['effect'];
