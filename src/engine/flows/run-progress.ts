import { isoTime } from '../../base/clock/clock.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Reader } from '../../base/database/reader.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import { EmulatorError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { findJob } from '../jobs/job-store.ts';
import { findLibraryEntry, relativeFileUrl } from '../library/library-store.ts';
import {
  type FlowRunPost,
  findRunStep,
  type RunStep,
  readRunSteps,
  runSteps,
  type StepOutcome,
} from '../orders/run-step-store.ts';
import type { ServiceEventType } from '../webhooks/event-schemas.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import {
  type FlowStep,
  fillParams,
  fillTemplate,
  type OutputKind,
  type StepDefinitions,
  type StepOutputDefinitions,
  type StepParams,
  type StepType,
  type TemplateSources,
} from './definition.ts';
import { finishRun, readFlowSteps, type StoredRun, updateCurrentStep, updateRunStatus } from './flow-store.ts';

interface ProgressParts {
  random: Random;
  webhooks: Webhooks;
  definitions: StepDefinitions;
  onChange(run: StoredRun): void;
}

/** What a run needs in order to advance. `nothing` means that the run cannot advance by itself. */
export type RunAdvanceCondition =
  | { for: 'step'; run: StoredRun; step: FlowStep }
  | { for: 'job'; jobId: string }
  | { for: 'time'; at: number }
  | { for: 'nothing' };

const NOTHING: RunAdvanceCondition = { for: 'nothing' };

export class FlowRunStateMachine {
  readonly #parts: ProgressParts;

  constructor(parts: ProgressParts) {
    this.#parts = parts;
  }

  peek(db: Reader, run: StoredRun, steps: readonly FlowStep[]): RunAdvanceCondition | undefined {
    if (run.status !== 'running') return NOTHING;
    const step = stepOf(run, steps);
    if (step.type === 'post' || findRunStep(db, run.id, run.step)) return undefined;
    return { for: 'step', run, step };
  }

  advance(tx: Transaction, run: StoredRun | undefined, steps: readonly FlowStep[]): RunAdvanceCondition {
    for (let current = run; current?.status === 'running'; ) {
      const step = stepOf(current, steps);
      const started = findRunStep(tx, current.id, current.step);
      if (!started) {
        if (step.type !== 'post') return { for: 'step', run: current, step };
        return this.#show(tx, current, steps);
      }
      const end = endOf(tx, started);
      if ('for' in end) return end;
      if ('error' in end) return this.fail(tx, current, steps, end.error);
      if (current.step === steps.length) {
        this.#publish(tx, finishRun(tx, current, null), steps);
        return NOTHING;
      }
      current = updateCurrentStep(tx, current, current.step + 1);
    }
    return NOTHING;
  }

  fail(tx: Transaction, run: StoredRun, steps: readonly FlowStep[], message: string): RunAdvanceCondition {
    const { nodeId, type } = stepOf(run, steps);
    const failed = finishRun(tx, run, { step: run.step, nodeId, type, message });
    this.#publish(tx, failed, steps);
    return NOTHING;
  }

  /** The params of the current step with filled templates. Throws `invalid_request` for a template without a value. */
  filled(db: Reader, { run, steps, now }: { run: StoredRun; steps: readonly FlowStep[]; now: number }): StepParams {
    const step = stepOf(run, steps);
    const { definitions } = this.#parts;
    const outputs = runOutputs(db, run, { steps, definitions }, now);
    const sources: TemplateSources = {
      inputs: run.inputs,
      outputs: new Map(outputs.map((output) => [output.step, output])),
    };
    const params = fillParams(step.params, sources);
    try {
      definitions[step.type].check(params, nothingOpen);
      return params;
    } catch {
      // Fills numbers and lists as texts, because the params may be valid with texts. Other errors are thrown when the
      // step is ordered.
      return fillParams(step.params, sources, true);
    }
  }

  #show(tx: Transaction, run: StoredRun, steps: readonly FlowStep[]): RunAdvanceCondition {
    const { random, definitions } = this.#parts;
    try {
      const params = this.filled(tx, { run, steps, now: tx.now });
      definitions.post.check(params, nothingOpen);
      const { text, url } = params;
      const post: FlowRunPost = {
        postId: nextId(tx, random, 'post', run.accountId),
        text: typeof text === 'string' ? text : null,
        url: typeof url === 'string' ? url : null,
      };
      runSteps.insert(tx, { runId: run.id, step: run.step, post });
      this.#publish(tx, updateRunStatus(tx, run, 'waiting'), steps, post);
      return NOTHING;
    } catch (error) {
      if (error instanceof EmulatorError) return this.fail(tx, run, steps, error.message);
      throw error;
    }
  }

  #publish(tx: Transaction, run: StoredRun, steps: readonly FlowStep[], post?: FlowRunPost): void {
    const { webhooks, definitions, onChange } = this.#parts;
    const outputs = runOutputs(tx, run, { steps, definitions }, tx.now);
    const waiting = post && waitingPost(run, stepOf(run, steps), post);
    const { workspaceId, accountId, flowId, id: runId, requestId } = run;
    webhooks.publish(tx, {
      ...runEvent(run, outputs, waiting),
      workspaceId,
      accountId,
      flowId,
      runId,
      requestId,
      faults: run.faults,
    });
    tx.onCommit(() => onChange(run));
  }
}

function nothingOpen(): boolean {
  return false;
}

function stepOf(run: StoredRun, steps: readonly FlowStep[]): FlowStep {
  const step = steps[run.step - 1];
  if (!step) throw new Error(`run ${run.id} is at step ${run.step} of ${steps.length}`);
  return step;
}

function endOf(tx: Transaction, { jobId, outcome, readyAt }: RunStep): StepOutcome | RunAdvanceCondition | Done {
  if (outcome) return readyAt !== null && readyAt > tx.now ? { for: 'time', at: readyAt } : outcome;
  if (jobId === null) return NOTHING;
  const result = findJob(tx, jobId)?.result;
  if (!result) return { for: 'job', jobId };
  return 'error' in result ? { error: result.error.message } : DONE;
}

type Done = { done: true };
const DONE: Done = { done: true };

export interface RunDetails {
  run: StoredRun;
  steps: FlowStep[];
  outputs: StepOutput[];
  waiting: ReturnType<typeof waitingPost> | undefined;
}

/** `now` is the emulator's time in milliseconds, from which the lifetime of signed URLs counts. */
export function readRunDetails(
  db: Reader,
  run: StoredRun,
  { definitions, now }: { definitions: StepOutputDefinitions; now: number },
): RunDetails {
  const steps = readFlowSteps(db, run.flowId);
  const outputs = runOutputs(db, run, { steps, definitions }, now);
  const post = run.status === 'waiting' ? findRunStep(db, run.id, run.step)?.post : null;
  const waiting = post ? waitingPost(run, stepOf(run, steps), post) : undefined;
  return { run, steps, outputs, waiting };
}

export function flowRunFields({ id, status, source, credits, started, finished, inputs }: StoredRun) {
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

function waitingPost(run: StoredRun, { nodeId, type }: FlowStep, { postId, text, url }: FlowRunPost) {
  return { step: run.step, nodeId, type, postId, ...(text !== null && { text }), ...(url !== null && { url }) };
}

const TYPES: Partial<Record<StoredRun['status'], ServiceEventType>> = {
  done: 'flow.run.succeeded',
  failed: 'flow.run.failed',
  waiting: 'flow.run.waiting',
};

function runEvent(
  run: StoredRun,
  outputs: readonly StepOutput[],
  waiting?: ReturnType<typeof waitingPost>,
): { type: ServiceEventType; data: Record<string, unknown> } {
  const type = TYPES[run.status];
  if (!type) throw new Error(`a run that is ${run.status} has no event`);
  const data = {
    flow: { id: run.flowId, name: run.flowName },
    run: flowRunFields(run),
    outputs,
    ...(run.failure ? { failure: run.failure } : {}),
    ...(waiting ? { waiting } : {}),
  };
  return { type, data };
}

/** `step` counts from 1 [R227 I160]. */
export interface StepOutput {
  step: number;
  nodeId: string;
  type: StepType;
  kind: OutputKind;
  text?: string;
  /** The URL of a render is valid for 7 days, or permanent if the render was stored [R230]. */
  url?: string;
  creationId?: string;
}

function runOutputs(
  db: Reader,
  run: StoredRun,
  { steps, definitions }: { steps: readonly FlowStep[]; definitions: StepOutputDefinitions },
  now: number,
): StepOutput[] {
  const outputs = new Map<number, StepOutput>();
  for (const started of readRunSteps(db, run.id)) {
    const step = steps[started.step - 1];
    const output = step && outputOf(db, { run, step, outputs }, started, now);
    if (!output) continue;
    const { nodeId, type } = step;
    outputs.set(started.step, { step: started.step, nodeId, type, kind: definitions[type].output, ...output });
  }
  return [...outputs.values()];
}

type Output = Pick<StepOutput, 'text' | 'url' | 'creationId'>;

function outputOf(
  db: Reader,
  { run, step, outputs }: { run: StoredRun; step: FlowStep; outputs: TemplateSources['outputs'] },
  { jobId, outcome, readyAt }: RunStep,
  now: number,
): Output | undefined {
  if (jobId) return renderOf(db, run, jobId, now);
  if (!outcome || 'error' in outcome || (readyAt ?? 0) > now) return undefined;
  if ('text' in outcome) return outcome;
  const { text, url } = outcome.post;
  // Fills the URL again, because the URL of a render may have expired since the post.
  const { url: template } = step.params;
  const fresh = () => fillTemplate(String(template), { inputs: run.inputs, outputs });
  return { ...(text === null ? {} : { text }), ...(url === null ? {} : { url: fresh() }) };
}

function renderOf(db: Reader, { baseUrl }: StoredRun, jobId: string, now: number): Output | undefined {
  const result = findJob(db, jobId)?.result;
  if (!result || 'error' in result) return undefined;
  const entry = findLibraryEntry(db, result.library_id);
  const url = entry ? baseUrl + relativeFileUrl(db, entry, now) : result.result_url;
  return { url, creationId: result.library_id };
}
