import type { Job } from '../data/records.ts';

/** How far a call is, and what has come of it. */
export interface CallState {
  phase: 'idle' | 'sending' | 'streaming' | 'following' | 'done';
  status: number | undefined;
  requestId: string | null;
  /** What the headers say of fields that were ignored. */
  warnings: string | null;
  dropped: string | null;
  credits: number | undefined;
  /** Milliseconds: to the first piece of a stream, and to the end. */
  firstAfter: number | undefined;
  duration: number | undefined;
  /** What has streamed in. */
  text: string;
  json: unknown;
  /** What is no JSON: a sound. */
  file: Blob | undefined;
  jobs: Job[];
  error: unknown;
}

export const IDLE: CallState = {
  phase: 'idle',
  status: undefined,
  requestId: null,
  warnings: null,
  dropped: null,
  credits: undefined,
  firstAfter: undefined,
  duration: undefined,
  text: '',
  json: undefined,
  file: undefined,
  jobs: [],
  error: undefined,
};
