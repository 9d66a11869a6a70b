import { EmulatorError, storageFull } from '../errors.ts';
import type { JobError } from '../jobs/job.ts';

/** Of a call that nobody can answer any more [I211]. */
export const INTERRUPTED: JobError = {
  code: 'interrupted',
  message: 'The emulator stopped while this call was waiting; the charge was refunded. Send the request again.',
};

/** Of a call that would have been open for a minute. */
export const TOO_LATE: JobError = {
  code: 'render_failed',
  message:
    'The render was not there before a minute was over, and its charge was refunded. Send fewer requests at the same time, or order a job and poll it.',
};

/** Of a call whose end a full disk did not take. */
export const NO_ROOM: JobError = { code: 'storage_full', message: storageFull().message };

/** What a job says whose render failed. */
export function renderError(error: unknown): JobError {
  if (error instanceof EmulatorError) return { code: error.code, message: error.message };
  return {
    code: 'render_failed',
    message: 'The render failed and its charge was refunded; send the request again.',
  };
}

/** What a job says that a directive, a fault rule, a policy or a test made fail. */
export function askedError(code: string): JobError {
  const message =
    code === 'content_blocked'
      ? "The engine's provider refused the prompt by its content policy; the charge was refunded. Change the prompt."
      : `The render failed with ${code}, as was asked for; the charge was refunded.`;
  return { code, message };
}
