import type { Reader } from '../../base/database/transaction.ts';
import type { FlowStep } from './definition.ts';
import { readSteps } from './flow-store.ts';
import type { Run } from './run.ts';
import { type RunOutput, runOutputs, waitingPost } from './run-event.ts';
import { stepOf } from './run-progress.ts';
import { findRunStep } from './run-step-store.ts';
import type { OutputKinds } from './step-kind.ts';

/** A run with the outputs of its steps. */
export interface RunView {
  run: Run;
  /** The steps of the version that the run started with. */
  steps: FlowStep[];
  outputs: RunOutput[];
  waiting: ReturnType<typeof waitingPost> | undefined;
}

/** `now`: milliseconds of the emulator's clock, from which URLs are signed. */
export function runView(db: Reader, run: Run, { kinds, now }: { kinds: OutputKinds; now: number }): RunView {
  const steps = readSteps(db, run.flowId, run.version);
  const outputs = runOutputs(db, run, { steps, kinds }, now);
  const post = run.status === 'waiting' ? findRunStep(db, run.id, run.step)?.post : null;
  const waiting = post ? waitingPost(run, stepOf(run, steps), post) : undefined;
  return { run, steps, outputs, waiting };
}
