import type { JobFaults } from '../faults/applied-fault.ts';
import type { StepType } from './step-kind.ts';

export const RUN_STATES = ['running', 'waiting', 'done', 'failed'] as const;
export type RunStatus = (typeof RUN_STATES)[number];
export const RUN_SOURCES = ['webhook', 'manual'] as const;
export type RunSource = (typeof RUN_SOURCES)[number];

/** The legal moves of a run. A cancelled or rejected one is failed. */
export const RUN_TRANSITIONS: Record<RunStatus, readonly RunStatus[]> = {
  running: ['waiting', 'done', 'failed'],
  waiting: ['running', 'failed'],
  done: [],
  failed: [],
};

/** Where and why a run failed. */
export interface Failure {
  step: number;
  nodeId: string;
  type: StepType;
  message: string;
}

/** What waits for somebody's click. */
export interface Post {
  postId: string;
  text: string | null;
  url: string | null;
}

/** What a step came to, where it is no job: a text, an approved post, or why it failed. */
export type StepOutcome = { text: string } | { post: Post } | { error: string };

/** One run of a version of a flow. Times are milliseconds of the emulator's clock. */
export interface Run {
  position: number;
  id: string;
  flowId: string;
  version: number;
  /** The flow's name in that version. */
  flowName: string;
  workspaceId: string;
  /** Who pays, and whose the renders are. */
  accountId: string;
  source: RunSource;
  status: RunStatus;
  /** The step at which it stands, from 1. */
  step: number;
  inputs: Record<string, unknown>;
  baseUrl: string;
  /** The request that started it; null where a person did. */
  requestId: string | null;
  faults: JobFaults | null;
  failure: Failure | null;
  /** What it costs, net of refunds. */
  credits: number;
  started: number;
  finished: number | null;
}

/** A step that was begun. */
export interface RunStep {
  step: number;
  charge: number | null;
  jobId: string | null;
  post: Post | null;
  outcome: StepOutcome | null;
  /** From when on `outcome` counts. */
  readyAt: number | null;
}

/** Throws on a move that the table does not have: a bug, not a user's fault. */
export function requireRunMove(from: RunStatus, to: RunStatus): void {
  if (!RUN_TRANSITIONS[from].includes(to)) throw new Error(`a run cannot go from ${from} to ${to}`);
}

export function isOver(status: RunStatus): boolean {
  return RUN_TRANSITIONS[status].length === 0;
}
