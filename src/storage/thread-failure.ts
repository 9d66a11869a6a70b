import { asStorageError } from '../database/connection.ts';
import { asDiskError, EmulatorError } from '../errors.ts';

/** What kept a thread from its work, as it can be handed to another: classes are lost on the way. */
export type ThreadFailure = { refused: Pick<EmulatorError, 'code' | 'message' | 'param'> } | { failed: unknown };

/** As what it is in the thread where it was thrown: a code does not outlive the way to another. */
export function threadFailure(thrown: unknown): ThreadFailure {
  const error = asStorageError(asDiskError(thrown));
  if (!(error instanceof EmulatorError)) return { failed: error };
  const { code, message, param } = error;
  return { refused: { code, message, param } };
}

/** The error that it was. */
export function thrownBy(failure: ThreadFailure): unknown {
  if ('failed' in failure) return failure.failed;
  const { code, message } = failure.refused;
  return new EmulatorError(code, message, failure.refused);
}
