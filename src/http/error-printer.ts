import { EmulatorError, type ErrorCode, InjectedFault } from '../errors.ts';
import { ERROR_TABLE } from './error-table.ts';

/** An error as it goes over the wire. */
export interface PrintedError {
  status: number;
  headers: Record<string, string>;
  body: { error: { code: string; message: string; type: string; param: string | null } };
}

/** The one printer of errors. What is not ours is a bug of the emulator: its text stays here, no stack and no path goes out. */
export function printError(error: unknown): PrintedError {
  if (error instanceof InjectedFault) {
    const { status, headers, code, message } = error;
    // A code that a row of the table has is of that row's type, whoever asked for it [I206].
    const type = typeOf(code) ?? error.type;
    return { status, headers, body: { error: { code, message, type, param: null } } };
  }
  const known = error instanceof EmulatorError ? error : internal();
  const { status, type } = ERROR_TABLE[known.code];
  const { code, message, param, headers } = known;
  const challenge: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer' } : {};
  return {
    status,
    headers: { ...challenge, ...headers },
    body: { error: { code, message, type, param } },
  };
}

function typeOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].type : undefined;
}

function internal(): EmulatorError {
  return new EmulatorError(
    'internal_error',
    'The emulator itself has failed: this is a bug of svc-emulator. Its log tells more under the x-request-id of this answer.',
  );
}
