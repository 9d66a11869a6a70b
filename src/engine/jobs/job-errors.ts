import { EmulatorError, storageFull } from '../../base/errors.ts';
import type { JobError } from './job.ts';

export const INTERRUPTED: JobError = {
  code: 'interrupted',
  message: 'The emulator stopped while this call was waiting; the charge was refunded. Send the request again.',
};

export const NO_ROOM: JobError = { code: 'storage_full', message: storageFull().message };

export const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render did not end within a minute; its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

export function renderError(error: unknown): JobError {
  if (error instanceof EmulatorError) return { code: error.code, message: error.message };
  return { code: 'render_failed', message: 'The render failed and its charge was refunded; send the request again.' };
}

const BLOCKED =
  "The engine's provider refused the prompt by its content policy; the charge was refunded. Change the prompt.";

export function askedError(code: string): JobError {
  if (code === 'content_blocked') return { code, message: BLOCKED };
  return { code, message: `The render failed with ${code} on purpose; its charge was refunded.`, asked: true };
}
