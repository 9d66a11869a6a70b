import { useState } from 'react';
import { PageStore, useStore } from '../data/page-store.ts';
import { keyedSteps } from './edit-steps.ts';
import type { FlowDefinition } from './flow-records.ts';

/** What was changed in the editor and is not saved, as long as the page is open: by flow and version. */
class FlowDrafts extends PageStore<Readonly<Record<string, FlowDefinition>>> {
  put(key: string, draft: FlowDefinition): void {
    this.set({ ...this.value, [key]: draft });
  }

  drop(key: string): void {
    const { [key]: _, ...others } = this.value;
    this.set(others);
  }
}

const flowDrafts = new FlowDrafts({});

/** A flow as it is being written: what was changed of it before, or as it is `given`. */
export function useFlowDraft(key: string, given: FlowDefinition) {
  const [unchanged] = useState(() => ({ ...given, steps: keyedSteps(given.steps) }));
  const changed = useStore(flowDrafts)[key];
  return {
    definition: changed ?? unchanged,
    isChanged: changed !== undefined,
    change: (definition: FlowDefinition) => flowDrafts.put(key, definition),
    drop: () => flowDrafts.drop(key),
  };
}
