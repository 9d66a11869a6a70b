import { useMemo } from 'react';
import type { Hold } from '../data/effects.ts';
import { useList } from '../data/queries.ts';
import { type FaultRecord, type Rule, ruleOfFault, ruleOfHold } from './fault-records.ts';

/** Fault rules and holds, holds first: something may wait in them. */
export function useRules(): { rules: Rule[]; error: Error | null; isPending: boolean } {
  const faults = useList<FaultRecord>('/faults');
  const holds = useList<Hold>('/holds');
  const rules = useMemo(
    () => [...(holds.data ?? []).map(ruleOfHold), ...(faults.data ?? []).map(ruleOfFault)],
    [holds.data, faults.data],
  );
  return { rules, error: faults.error ?? holds.error, isPending: faults.isPending || holds.isPending };
}
