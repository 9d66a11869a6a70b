import type { Reader } from '../database/transaction.ts';
import { findJob } from '../jobs/job-store.ts';
import { entryUrl, findEntry } from '../library/library.ts';
import type { FlowStep } from './definition.ts';
import { fillText, type Sources } from './fill-template.ts';
import type { Run, RunStep } from './run.ts';
import { readRunSteps } from './run-step-store.ts';
import type { OutputKind, OutputKinds, StepType } from './step-kind.ts';

/** What a step of a run came to, as its events tell it. `step` counts from 1 [R227 I160]. */
export interface RunOutput {
  step: number;
  nodeId: string;
  type: StepType;
  kind: OutputKind;
  text?: string;
  /** Of a render signed anew, for 7 days from when it is told; permanent when it was stored [R230]. */
  url?: string;
  /** The library entry of a render. */
  creationId?: string;
}

/** The steps of a run that are done, in order; URLs are signed from `now` on, in milliseconds of the emulator's clock. */
export function runOutputs(
  db: Reader,
  run: Run,
  { steps, kinds }: { steps: readonly FlowStep[]; kinds: OutputKinds },
  now: number,
): RunOutput[] {
  const outputs = new Map<number, RunOutput>();
  for (const started of readRunSteps(db, run.id)) {
    const step = steps[started.step - 1];
    const left = step && leftBy(db, { run, step, outputs }, started, now);
    if (!left) continue;
    const { nodeId, type } = step;
    outputs.set(started.step, { step: started.step, nodeId, type, kind: kinds[type].output, ...left });
  }
  return [...outputs.values()];
}

type Left = Pick<RunOutput, 'text' | 'url' | 'creationId'>;

function leftBy(
  db: Reader,
  { run, step, outputs }: { run: Run; step: FlowStep; outputs: Sources['outputs'] },
  { jobId, outcome, readyAt }: RunStep,
  now: number,
): Left | undefined {
  if (jobId) return renderOf(db, run, jobId, now);
  if (!outcome || 'error' in outcome || (readyAt ?? 0) > now) return undefined;
  if ('text' in outcome) return outcome;
  const { text, url } = outcome.post;
  // What a post shows may be a render, whose URL was signed long ago.
  const { url: template } = step.params;
  const fresh = () => fillText(String(template), { inputs: run.inputs, outputs });
  return { ...(text === null ? {} : { text }), ...(url === null ? {} : { url: fresh() }) };
}

function renderOf(db: Reader, { baseUrl }: Run, jobId: string, now: number): Left | undefined {
  const result = findJob(db, jobId)?.result;
  if (!result || 'error' in result) return undefined;
  const entry = findEntry(db, result.library_id);
  const url = entry ? baseUrl + entryUrl(db, entry, now) : result.result_url;
  return { url, creationId: result.library_id };
}
