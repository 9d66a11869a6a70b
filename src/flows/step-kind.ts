import type { Payer } from '../generation/order.ts';

export const STEP_TYPES = ['text', 'image', 'video', 'music', 'speech', 'post'] as const;
export type StepType = (typeof STEP_TYPES)[number];

/** What a step leaves for those after it and for the run's events. */
export const OUTPUT_KINDS = ['text', 'image', 'video', 'audio', 'post'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export type Params = Record<string, unknown>;

/** Whether the value at a path is known only when the step begins. */
export type IsOpen = (path: readonly PropertyKey[]) => boolean;

/** What a type of step is, told by those who know the operations. */
export interface StepKind {
  output: OutputKind;
  /**
   * Checks what can be told of the params while some of their values are open; answers the paths of fields that
   * nothing knows. Throws `invalid_request` or `model_not_found`, whose `param` is the path within the params.
   */
  check(params: Params, isOpen: IsOpen): string[];
  /**
   * Orders the step's work on the road of its operation, after checking the params whole. `payer.onStarted` is told within
   * the transaction of the charge; what the promise comes to is of no interest. A post orders nothing.
   */
  order(params: Params, payer: StepPayer): Promise<unknown>;
}

/** A payer who keeps what was begun. */
export type StepPayer = Payer & Required<Pick<Payer, 'onStarted'>>;

export type StepKinds = Readonly<Record<StepType, StepKind>>;

/** What their steps come to. */
export type OutputKinds = Readonly<Record<StepType, Pick<StepKind, 'output'>>>;
