import type { Reader } from '../database/transaction.ts';
import type { FlowStep } from './definition.ts';
import { readSteps } from './flow-store.ts';
import type { Run } from './run.ts';
import { waitingPost } from './run-event.ts';
import { type RunOutput, runOutputs } from './run-outputs.ts';
import { stepOf } from './run-progress.ts';
import { findRunStep } from './run-step-store.ts';
import type { OutputKinds } from './step-kind.ts';

/** A run with all that its steps came to. */
export interface ToldRun {
  run: Run;
  /** Those of the version that it began with. */
  steps: FlowStep[];
  outputs: RunOutput[];
  waiting: ReturnType<typeof waitingPost> | undefined;
}

/** `now`: milliseconds of the emulator's clock, from which URLs are signed. */
export function toldRun(db: Reader, run: Run, { kinds, now }: { kinds: OutputKinds; now: number }): ToldRun {
  const steps = readSteps(db, run.flowId, run.version);
  const outputs = runOutputs(db, run, { steps, kinds }, now);
  const post = run.status === 'waiting' ? findRunStep(db, run.id, run.step)?.post : null;
  const waiting = post ? waitingPost(run, stepOf(run, steps), post) : undefined;
  return { run, steps, outputs, waiting };
}
