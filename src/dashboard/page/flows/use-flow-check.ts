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
export function useFlowCheck(definition: FlowDefinition): FlowCheck | undefined {
  const [answer, setAnswer] = useState<{ of: FlowDefinition; check: FlowCheck }>();
  useEffect(() => {
    let isLatest = true;
    const stop = later(QUIET, () => {
      void callControl<FlowCheck>('POST', '/check-flow', definition)
        .then((check) => isLatest && setAnswer({ of: definition, check }))
        .catch(() => undefined);
    });
    return () => {
      isLatest = false;
      stop();
    };
  }, [definition]);
  return answer?.check;
}

/** What is wrong with a field, or with something inside it. */
export function errorAt(check: FlowCheck | undefined, path: string): string | undefined {
  return check?.errors.find(({ param }) => param === path || param?.startsWith(`${path}.`))?.message;
}
