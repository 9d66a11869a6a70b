import { EmulatorError } from '../../base/errors.ts';
import type { RunPayer } from '../generation/order.ts';

export const RUN_STATES = ['running', 'waiting', 'done', 'failed'] as const;
export type RunStatus = (typeof RUN_STATES)[number];
export const RUN_SOURCES = ['webhook', 'manual'] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

/** A cancelled or rejected run is failed. */
export const RUN_TRANSITIONS: Record<RunStatus, readonly RunStatus[]> = {
  running: ['waiting', 'done', 'failed'],
  waiting: ['running', 'failed'],
  done: [],
  failed: [],
};

export interface RunFailure {
  step: number;
  nodeId: string;
  type: StepType;
  message: string;
}

/** An invalid move is a bug. */
export function requireRunTransition(from: RunStatus, to: RunStatus): void {
  if (!RUN_TRANSITIONS[from].includes(to)) throw new Error(`a run cannot go from ${from} to ${to}`);
}

export function isRunFinal(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0;
}

export const STEP_TYPES = ['text', 'image', 'video', 'music', 'speech', 'post'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const OUTPUT_KINDS = ['text', 'image', 'video', 'audio', 'post'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export type StepParams = Record<string, unknown>;

/** True if the value is known only when the step starts. */
export type IsKnownLater = (path: readonly PropertyKey[]) => boolean;

export interface StepKind {
  output: OutputKind;
  /**
   * Skips open values. Returns the paths of unknown fields. Throws `invalid_request` or `model_not_found`; `param` is
   * relative to the params.
   */
  check(params: StepParams, isOpen: IsKnownLater): string[];
  /**
   * Orders the work through the pipeline of its operation, which starts the step with the order and does not wait for
   * its end. A post orders nothing.
   */
  order(params: StepParams, payer: RunPayer): Promise<unknown>;
}

export type StepKinds = Readonly<Record<StepType, StepKind>>;

export type OutputKinds = Readonly<Record<StepType, Pick<StepKind, 'output'>>>;

/** Ignores errors of open values. */
export function ignoringUnknownValues(isOpen: IsKnownLater, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!isAboutOpen(error, isOpen)) throw error;
  }
}

function isAboutOpen(error: unknown, isOpen: IsKnownLater): boolean {
  return error instanceof EmulatorError && error.param !== null && isOpen(error.param.split('.'));
}
