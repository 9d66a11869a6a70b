import { isoTime } from '../../base/clock/clock.ts';
import type { Reader } from '../../base/database/transaction.ts';
import { findJob } from '../jobs/job-store.ts';
import { entryUrl, findEntry } from '../library/library-store.ts';
import type { ServiceEventType } from '../webhooks/event-schemas.ts';
import type { FlowStep } from './definition.ts';
import type { Post, RunStep, StoredRun } from './run.ts';
import { readRunSteps } from './run-store.ts';
import type { OutputKind, OutputKinds, StepType } from './step-kind.ts';
import { fillText, type Sources } from './template.ts';

/** The record of a run, field by field as specified [R054 R057]. */
export function runResource({ id, status, source, credits, started, finished, inputs }: StoredRun) {
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

/** The post of a run that waits for a click [R229 I134]. */
export function waitingPost(run: StoredRun, { nodeId, type }: FlowStep, post: Post) {
  return { step: run.step, nodeId, type, ...post };
}

const TYPES: Partial<Record<StoredRun['status'], ServiceEventType>> = {
  done: 'flow.run.succeeded',
  failed: 'flow.run.failed',
  waiting: 'flow.run.waiting',
};

/** The event of a run that ended or waits: its type, and its `data` as specified [R226 R228]. */
export function runEvent(
  run: StoredRun,
  outputs: readonly RunOutput[],
  waiting?: ReturnType<typeof waitingPost>,
): { type: ServiceEventType; data: Record<string, unknown> } {
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

/** The output of a step, as in the events of its run. `step` counts from 1 [R227 I160]. */
export interface RunOutput {
  step: number;
  nodeId: string;
  type: StepType;
  kind: OutputKind;
  text?: string;
  /** The URL of a render, signed again for 7 days from now; permanent if the render was stored [R230]. */
  url?: string;
  /** The library entry of a render. */
  creationId?: string;
}

/** The outputs of a run's finished steps, in order; URLs are signed from `now` on, in milliseconds of the emulator's clock. */
export function runOutputs(
  db: Reader,
  run: StoredRun,
  { steps, kinds }: { steps: readonly FlowStep[]; kinds: OutputKinds },
  now: number,
): RunOutput[] {
  const outputs = new Map<number, RunOutput>();
  for (const started of readRunSteps(db, run.id)) {
    const step = steps[started.step - 1];
    const output = step && outputOf(db, { run, step, outputs }, started, now);
    if (!output) continue;
    const { nodeId, type } = step;
    outputs.set(started.step, { step: started.step, nodeId, type, kind: kinds[type].output, ...output });
  }
  return [...outputs.values()];
}

type Output = Pick<RunOutput, 'text' | 'url' | 'creationId'>;

function outputOf(
  db: Reader,
  { run, step, outputs }: { run: StoredRun; step: FlowStep; outputs: Sources['outputs'] },
  { jobId, outcome, readyAt }: RunStep,
  now: number,
): Output | undefined {
  if (jobId) return renderOf(db, run, jobId, now);
  if (!outcome || 'error' in outcome || (readyAt ?? 0) > now) return undefined;
  if ('text' in outcome) return outcome;
  const { text, url } = outcome.post;
  // The URL of a post may be that of a render, which was signed long ago.
  const { url: template } = step.params;
  const fresh = () => fillText(String(template), { inputs: run.inputs, outputs });
  return { ...(text === null ? {} : { text }), ...(url === null ? {} : { url: fresh() }) };
}

function renderOf(db: Reader, { baseUrl }: StoredRun, jobId: string, now: number): Output | undefined {
  const result = findJob(db, jobId)?.result;
  if (!result || 'error' in result) return undefined;
  const entry = findEntry(db, result.library_id);
  const url = entry ? baseUrl + entryUrl(db, entry, now) : result.result_url;
  return { url, creationId: result.library_id };
}
