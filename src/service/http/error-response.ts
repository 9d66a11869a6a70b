import { z } from 'zod';
import { type ChoiceId, EmulatorError, type ErrorCode, ResponseError } from '../../base/errors.ts';
import { choiceOfErrorCode } from '../../base/package/choice-table.ts';

export const ERROR_TABLE: Record<ErrorCode, { status: number; type: string }> = {
  invalid_request: { status: 400, type: 'invalid_request_error' },
  content_blocked: { status: 400, type: 'invalid_request_error' },
  plan_cap_exceeded: { status: 400, type: 'invalid_request_error' },
  endpoint_limit_reached: { status: 400, type: 'invalid_request_error' },
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  insufficient_credits: { status: 402, type: 'insufficient_credits' },
  permission_denied: { status: 403, type: 'permission_error' },
  forbidden_host: { status: 403, type: 'permission_error' },
  forbidden_origin: { status: 403, type: 'permission_error' },
  invalid_signature: { status: 403, type: 'permission_error' },
  url_expired: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'not_found_error' },
  model_not_found: { status: 404, type: 'not_found_error' },
  flow_not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  timeout: { status: 408, type: 'api_error' },
  conflict: { status: 409, type: 'api_error' },
  not_waiting: { status: 409, type: 'conflict_error' },
  precondition_failed: { status: 412, type: 'invalid_request_error' },
  payload_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  range_not_satisfiable: { status: 416, type: 'invalid_request_error' },
  no_fixture: { status: 422, type: 'invalid_request_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal_error: { status: 500, type: 'api_error' },
  render_failed: { status: 502, type: 'api_error' },
  storage_full: { status: 507, type: 'api_error' },
};

interface PrintedError {
  status: number;
  headers: Record<string, string>;
  body: { error: { code: string; message: string; type: string; param: string | null } };
}

/** The response to an unexpected error contains no message, stack or path of that error. */
export function toErrorResponse(error: unknown): PrintedError {
  if (error instanceof ResponseError) {
    const { status, headers, code, message } = error;
    // A known code keeps its type, even if a rule or a scripted answer chose another status [I206].
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

/** Undefined if the error does not depend on a documented choice. */
export function choiceOfError(error: unknown, code: string): ChoiceId | undefined {
  const own = error instanceof EmulatorError ? error.choice : undefined;
  return own ?? choiceOfErrorCode(code) ?? (error instanceof ResponseError && error.asked ? 'C037' : undefined);
}

function typeOf(code: string): string | undefined {
  return Object.hasOwn(ERROR_TABLE, code) ? ERROR_TABLE[code as ErrorCode].type : undefined;
}

function internal(): EmulatorError {
  return new EmulatorError(
    'internal_error',
    'The emulator itself has failed: this is a bug of svc-emulator. Its log has details under the x-request-id of this response.',
  );
}

export const errorResponseSchema = z.strictObject({
  error: z.strictObject({
    code: z.string().describe('the error code, for programs.'),
    message: z.string().describe('the fault, the accepted values and the remedy, for people.'),
    type: z.string(),
    param: z.string().nullable().describe('the path of the wrong field, or null.'),
  }),
});
