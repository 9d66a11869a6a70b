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
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'no_fixture'
  | 'rate_limited'
  | 'internal_error'
  | 'storage_full'
  | 'render_failed';

export type ChoiceId = `C${number}`;

/** `choice` is the documented choice behind a rejection. The journal records it; the response does not contain it. */
interface ErrorDetails {
  param?: string | null;
  choice?: ChoiceId | undefined;
  headers?: Record<string, string>;
  cause?: unknown;
}

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

export class ConfigError extends Error {
  override name = 'ConfigError';
}

export class InsufficientCreditsError extends EmulatorError {
  readonly left: number;

  constructor(left: number, message: string) {
    super('insufficient_credits', message);
    this.left = left;
  }
}

/** `param` is the path of the field at fault, such as `messages.0.role`. */
export function invalidRequestError(param: string | null, message: string, choice?: ChoiceId): EmulatorError {
  return new EmulatorError('invalid_request', message, { param, choice });
}

export function quoted(value: string): string {
  return JSON.stringify(value.slice(0, 80));
}

export function stateReplacedError(): ResponseError {
  return new ResponseError({
    status: 502,
    code: 'render_failed',
    type: 'api_error',
    message: 'The emulator was reset or stopped while this call was waiting; send the request again.',
  });
}

export function storageFullError(cause?: unknown): EmulatorError {
  return new EmulatorError(
    'storage_full',
    'The data folder cannot be written: its disk is full or read-only. No charge remains. Free some space, or choose another folder with --data-dir.',
    { cause },
  );
}

const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

export function translateDiskError(error: unknown): unknown {
  return DISK_CODES.has(systemErrorCode(error) ?? '') ? storageFullError(error) : error;
}

export function isStorageFullError(error: unknown): error is EmulatorError {
  return error instanceof EmulatorError && error.code === 'storage_full';
}

/**
 * A code such as `ENOENT` or `SQLITE_FULL`. The class of the error does not matter, because `instanceof` fails in the
 * realm of a test runner.
 */
export function systemErrorCode(error: unknown): string | undefined {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown };
  // `node:sqlite` gives SQLite's extended code as a number, whose lowest byte is the kind.
  if (typeof errcode === 'number') return SQLITE_CODES[errcode & 0xff] ?? 'SQLITE_ERROR';
  return typeof code === 'string' ? code : undefined;
}

const SQLITE_CODES: Record<number, string> = {
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

export class ResponseError extends Error {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly headers: Record<string, string>;
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
        `${fault.status} ${fault.code} was caused by a directive or a fault rule. Any charge is refunded.`,
    );
    this.name = 'ResponseError';
    this.status = fault.status;
    this.code = fault.code;
    this.type = fault.type;
    this.headers = fault.headers ?? {};
    this.asked = fault.asked ?? false;
  }
}
