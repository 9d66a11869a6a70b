import { isoTime } from '../clock/clock.ts';
import type { EventType } from '../webhooks/event-types.ts';
import type { FlowStep } from './definition.ts';
import type { Post, Run } from './run.ts';
import type { RunOutput } from './run-outputs.ts';

/** A run, field by field as the specification has it [R054 R057]. */
export function runResource({ id, status, source, credits, started, finished, inputs }: Run) {
  return {
    id,
    status,
    source,
    credits,
    startedAt: isoTime(started),
    finishedAt: finished === null ? null : isoTime(finished),
    inputs,
  };
}

/** What waits for a click [R229 I134]. */
export function waitingPost(run: Run, { nodeId, type }: FlowStep, post: Post) {
  return { step: run.step, nodeId, type, ...post };
}

const TYPES: Partial<Record<Run['status'], EventType>> = {
  done: 'flow.run.succeeded',
  failed: 'flow.run.failed',
  waiting: 'flow.run.waiting',
};

/** The event of a run that ended or waits: its type, and its `data` as the specification has it [R226 R228]. */
export function runEvent(
  run: Run,
  outputs: readonly RunOutput[],
  waiting?: ReturnType<typeof waitingPost>,
): { type: EventType; data: Record<string, unknown> } {
  const type = TYPES[run.status];
  if (!type) throw new Error(`a run that is ${run.status} has no event`);
  const data = {
    flow: { id: run.flowId, name: run.flowName },
    run: runResource(run),
    outputs,
    ...(run.failure ? { failure: run.failure } : {}),
    ...(waiting ? { waiting } : {}),
  };
  return { type, data };
}
