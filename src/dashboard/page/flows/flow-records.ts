import { FileText, Image, type LucideIcon, Mic, Music, Send, Video } from 'lucide-react';
import type { StepType } from '../../../flows/step-kind.ts';

export type { StepType };

/** Tells a step from others while it is written: copies keep it, JSON leaves it out. */
export const STEP_KEY = Symbol('step');

export interface FlowStep {
  [STEP_KEY]?: number;
  nodeId: string;
  type: StepType;
  params: Record<string, unknown>;
}

/** What a flow does: what is exported, imported and edited. */
export interface FlowDefinition {
  name: string;
  steps: FlowStep[];
}

export interface Flow extends FlowDefinition {
  id: string;
  version: number;
  enabled: boolean;
  workspace_id: string;
  account_id: string;
  hook_url: string;
  created: number;
}

export interface RunOutput {
  step: number;
  nodeId: string;
  type: StepType;
  kind: 'text' | 'image' | 'video' | 'audio' | 'post';
  text?: string;
  url?: string;
  creationId?: string;
}

export interface Run {
  id: string;
  status: 'running' | 'waiting' | 'done' | 'failed';
  source: 'webhook' | 'manual';
  credits: number;
  startedAt: string;
  finishedAt: string | null;
  inputs: Record<string, unknown>;
  flow: { id: string; name: string };
  version: number;
  workspace_id: string;
  account_id: string;
  /** At which it stands, from 1. */
  step: number;
  failure?: { step: number; nodeId: string; type: StepType; message: string };
}

/** A run with its steps, and what they came to. */
export interface WholeRun extends Run {
  steps: { nodeId: string; type: StepType }[];
  outputs: RunOutput[];
  waiting?: { step: number; nodeId: string; text: string | null; url: string | null };
}

export const STEP_ICONS: Record<StepType, LucideIcon> = {
  text: FileText,
  image: Image,
  video: Video,
  music: Music,
  speech: Mic,
  post: Send,
};

export const STEP_TYPES = Object.keys(STEP_ICONS) as StepType[];

/** Where a run stands, and why it failed. */
export function whereOf({ status, step, failure }: Run): string {
  if (failure) return `step ${failure.step}: ${failure.message}`;
  return status === 'done' ? 'at its end' : `at step ${step}`;
}
