import { EmulatorError } from '../../base/errors.ts';
import type { JobFaults } from '../faults/applied-fault.ts';
import type { PayingCall } from '../generation/order.ts';

export const RUN_STATES = ['running', 'waiting', 'done', 'failed'] as const;
export type RunStatus = (typeof RUN_STATES)[number];
export const RUN_SOURCES = ['webhook', 'manual'] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

/** The states that may follow each state of a run. A cancelled or rejected run is failed. */
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

export interface Post {
  postId: string;
  text: string | null;
  url: string | null;
}

/** The outcome of a step without a job: a text, an approved post, or an error. */
export type StepOutcome = { text: string } | { post: Post } | { error: string };

/** One run of a flow. Times are milliseconds of the emulator's clock. */
export interface StoredRun {
  position: number;
  id: string;
  flowId: string;
  flowName: string;
  workspaceId: string;
  accountId: string;
  source: RunSource;
  status: RunStatus;
  /** The present step, from 1. */
  step: number;
  inputs: Record<string, unknown>;
  baseUrl: string;
  /** The request that started it; null where a person did. */
  requestId: string | null;
  faults: JobFaults | null;
  failure: RunFailure | null;
  credits: number;
  started: number;
  finished: number | null;
}

export interface RunStep {
  step: number;
  charge: number | null;
  jobId: string | null;
  post: Post | null;
  outcome: StepOutcome | null;
  /** The time from which `outcome` counts. */
  readyAt: number | null;
}

/** Throws on a move that the table does not list, which is a bug and not a user's mistake. */
export function requireRunMove(from: RunStatus, to: RunStatus): void {
  if (!RUN_TRANSITIONS[from].includes(to)) throw new Error(`a run cannot go from ${from} to ${to}`);
}

export function isOver(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0;
}

export const STEP_TYPES = ['text', 'image', 'video', 'music', 'speech', 'post'] as const;
export type StepType = (typeof STEP_TYPES)[number];

export const OUTPUT_KINDS = ['text', 'image', 'video', 'audio', 'post'] as const;
export type OutputKind = (typeof OUTPUT_KINDS)[number];

export type StepParams = Record<string, unknown>;

/** Whether the value at a path is known only when the step starts. */
export type IsOpen = (path: readonly PropertyKey[]) => boolean;

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

export type StepPayer = PayingCall & Required<Pick<PayingCall, 'onStarted'>>;

export type StepKinds = Readonly<Record<StepType, StepKind>>;

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
