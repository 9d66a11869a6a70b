import { FileText, Image, type LucideIcon, Mic, Music, Send, Video } from 'lucide-react';
import type { FlowRecord } from '../../../control/flow-schemas.ts';
import type { RunRecord, WholeRun } from '../../../control/run-control.ts';
import type { StepType } from '../../../flows/step-kind.ts';

export type { WholeRun };

export interface FlowStep {
  nodeId: string;
  type: StepType;
  params: Record<string, unknown>;
}

/** What a flow does: what is exported, imported and edited. */
export interface FlowDefinition {
  name: string;
  steps: FlowStep[];
}

export type Flow = FlowRecord;
export type Run = RunRecord;
export type RunOutput = WholeRun['outputs'][number];

export const STEP_ICONS: Record<StepType, LucideIcon> = {
  text: FileText,
  image: Image,
  video: Video,
  music: Music,
  speech: Mic,
  post: Send,
};

/** Where a run stands, and why it failed. */
export function whereOf({ status, step, failure }: Run): string {
  if (failure) return `step ${failure.step}: ${failure.message}`;
  return status === 'done' ? 'at its end' : `at step ${step}`;
}
