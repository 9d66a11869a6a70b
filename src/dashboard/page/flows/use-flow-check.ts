import { useEffect, useState } from 'react';
import { later } from '../data/browser-time.ts';
import { callControl } from '../data/call-api.ts';
import type { FlowDefinition } from './flow-records.ts';

/** What the emulator says of a flow that is being written. */
export interface FlowCheck {
  ok: boolean;
  errors: { code: string; message: string; param: string | null }[];
  ignored: string[];
}

/** How long after the last change it is asked, in milliseconds. */
const QUIET = 200;

/** Has the emulator check a flow as it is written; undefined while the answer is of an earlier text. */
export function useFlowCheck(definition: FlowDefinition | undefined): FlowCheck | undefined {
  const [answer, setAnswer] = useState<{ of: string; check: FlowCheck }>();
  const text = JSON.stringify(definition);
  useEffect(() => {
    if (text === undefined) return;
    let isLatest = true;
    const stop = later(QUIET, () => {
      void callControl<FlowCheck>('POST', '/check-flow', JSON.parse(text))
        .then((check) => isLatest && setAnswer({ of: text, check }))
        .catch(() => undefined);
    });
    return () => {
      isLatest = false;
      stop();
    };
  }, [text]);
  return answer?.of === text ? answer?.check : undefined;
}

/** The flow that a text is, or why it is none; what is wrong inside is for the emulator to say. */
export function readDefinition(text: string): { definition?: FlowDefinition; fault?: string } {
  try {
    const { name, steps } = (JSON.parse(text) ?? {}) as { name?: unknown; steps?: unknown };
    if (typeof name === 'string' && Array.isArray(steps) && steps.every(isStep)) return { definition: { name, steps } };
    return { fault: 'A flow is {"name": "…", "steps": [{"nodeId", "type", "params"}, …]}.' };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function isStep(step: unknown): step is FlowDefinition['steps'][number] {
  if (typeof step !== 'object' || step === null) return false;
  const { nodeId, type, params = {} } = step as Record<string, unknown>;
  return typeof nodeId === 'string' && typeof type === 'string' && typeof params === 'object' && params !== null;
}
