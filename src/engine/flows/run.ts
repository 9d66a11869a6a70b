import type { JobFaults } from '../faults/applied-fault.ts';
import type { StepType } from './step-kind.ts';

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

/** Where and why a run failed. */
export interface RunFailure {
  step: number;
  nodeId: string;
  type: StepType;
  message: string;
}

/** A post that waits for a click. */
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
  /** The account that pays and owns the renders. */
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
  /** The cost net of refunds. */
  credits: number;
  started: number;
  finished: number | null;
}

/** A started step. */
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
