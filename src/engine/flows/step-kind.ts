import { EmulatorError } from '../../base/errors.ts';
import type { PayingCall } from '../generation/order.ts';

export const STEP_TYPES = ['text', 'image', 'video', 'music', 'speech', 'post'] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** The kinds of output of a step, for later steps and for the run's events. */
export const OUTPUT_KINDS = ['text', 'image', 'video', 'audio', 'post'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export type StepParams = Record<string, unknown>;

/** Whether the value at a path is known only when the step starts. */
export type IsOpen = (path: readonly PropertyKey[]) => boolean;

/** A type of step; `api/steps` defines each by its operation. */
export interface StepKind {
  output: OutputKind;
  /**
   * Checks the params while some of their values are still open; returns the paths of unknown fields. Throws `invalid_request` or `model_not_found`, whose `param` is the path within the params.
   */
  check(params: StepParams, isOpen: IsOpen): string[];
  /**
   * Orders the step's work through the pipeline of its operation, after checking all params. `payer.onStarted` is called in
   * the transaction of the charge; the result of the promise is not used. A post orders nothing.
   */
  order(params: StepParams, payer: StepPayer): Promise<unknown>;
}

/** A payer that stores what was started. */
export type StepPayer = PayingCall & Required<Pick<PayingCall, 'onStarted'>>;

export type StepKinds = Readonly<Record<StepType, StepKind>>;

/** The outputs of the types of step. */
export type OutputKinds = Readonly<Record<StepType, Pick<StepKind, 'output'>>>;

/** Checks params with open values; errors of open values are left for the run. */
export function sparingOpen(isOpen: IsOpen, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isAboutOpen(error, isOpen)) throw error;
  }
}

function isAboutOpen(error: unknown, isOpen: IsOpen): boolean {
  return error instanceof EmulatorError && error.param !== null && isOpen(error.param.split('.'));
}
