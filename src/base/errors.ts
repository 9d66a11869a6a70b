/** The errors, by the code that a caller sees in `error.code`. Their HTTP statuses are in `http/error-printer.ts`. */
export type ErrorCode =
  | 'invalid_request'
  | 'content_blocked'
  | 'plan_cap_exceeded'
  | 'endpoint_limit_reached'
  | 'missing_api_key'
  | 'invalid_api_key'
  | 'insufficient_credits'
  | 'permission_denied'
  | 'forbidden_host'
  | 'forbidden_origin'
  | 'invalid_signature'
  | 'url_expired'
  | 'not_found'
  | 'model_not_found'
  | 'flow_not_found'
  | 'not_waiting'
  | 'conflict'
  | 'timeout'
  | 'method_not_allowed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'no_fixture'
  | 'rate_limited'
  | 'internal_error'
  | 'storage_full'
  | 'render_failed';

/** The id of a row of `fixtures/choices.json`. */
export type ChoiceId = `C${number}`;

/**
 * Extra facts that an answer needs: the field at fault and headers such as `Allow` or `Retry-After`. `choice` is that by
 * which the request is refused, where the service leaves it open; it is recorded and not answered.
 */
export interface ErrorDetails {
  param?: string | null;
  choice?: ChoiceId | undefined;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A fault that its reader can act on: `message` says what was wrong, what was expected and the way out. */
export class EmulatorError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly choice: ChoiceId | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.name = 'EmulatorError';
    this.code = code;
    this.param = details.param ?? null;
    this.choice = details.choice;
    this.headers = details.headers ?? {};
  }
}

/** 402: the balance is less than the price. */
export class ShortOfCredits extends EmulatorError {
  readonly left: number;

  constructor(left: number, message: string) {
    super('insufficient_credits', message);
    this.left = left;
  }
}

/** The commonest fault: a field that is missing, of the wrong type or out of range. `param` is its path, `messages.0.role`. */
export function invalid(param: string | null, message: string, choice?: ChoiceId): EmulatorError {
  return new EmulatorError('invalid_request', message, { param, choice });
}

/** A value of the caller's as a message repeats it: in quotes, and no longer than 80 characters. */
export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}

/** The error of a call that waits when the emulator is reset or stopped. */
export function overtaken(): InjectedFault {
  return new InjectedFault({
    status: 502,
    code: 'render_failed',
    type: 'api_error',
    message: 'The emulator was reset or stopped while this call was waiting; send the request again.',
  });
}

/** The error of a disk that takes no more (507). */
export function storageFull(cause?: unknown): EmulatorError {
  return new EmulatorError(
    'storage_full',
    'The data folder cannot be written: its disk is full or read-only. Nothing stays charged; free some space or choose another folder with --data-dir.',
    { cause },
  );
}

const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

/** A disk that takes no more becomes `storage_full`, which says so; anything else stays what it is. */
export function asDiskError(error: unknown): unknown {
  return DISK_CODES.has(systemCode(error) ?? '') ? storageFull(error) : error;
}

/** Whether a disk took no more. */
export function isStorageFull(error: unknown): error is EmulatorError {
  return error instanceof EmulatorError && error.code === 'storage_full';
}

/**
 * `ENOENT`, `SQLITE_FULL` and the like; undefined for what neither system nor library said. It does not ask for the class:
 * a test runner may give the program a realm of its own, in which the system's errors are no `Error`.
 */
export function systemCode(error: unknown): string | undefined {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
  // The errors of `node:sqlite` have one code for all, and SQLite's as a number, of which the lowest byte is the kind.
  if (typeof errcode === 'number') return SQLITE_CODES[errcode & 0xff] ?? 'SQLITE_ERROR';
  return typeof code === 'string' ? code : undefined;
}

/** Those that are distinguished. */
const SQLITE_CODES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** A failure with a status and a code of its own: what a directive or a fault rule asked for, or a refunded render. */
export class InjectedFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly headers: Record<string, string>;
  /** A test asked for it. */
  readonly asked: boolean;

  constructor(fault: {
    status: number;
    code: string;
    type: string;
    message?: string;
    headers?: Record<string, string>;
    asked?: boolean;
  }) {
    super(
      fault.message ??
        `${fault.status} ${fault.code} was asked for, by a directive or a fault rule; whatever was charged is refunded.`,
    );
    this.name = 'InjectedFault';
    this.status = fault.status;
    this.code = fault.code;
    this.type = fault.type;
    this.headers = fault.headers ?? {};
    this.asked = fault.asked ?? false;
  }
}
