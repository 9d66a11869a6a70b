import { InjectedFault } from '../../base/errors.ts';

const CODE_OF_STATUS: Record<number, string> = {
  402: 'insufficient_credits',
  408: 'timeout',
  409: 'conflict',
  429: 'rate_limited',
};

/** The answer that a directive, a fault rule or a script asks for; `retryAfter` is in seconds. */
export function injectedStatus(status: number, code?: string, retryAfter?: number, message?: string): InjectedFault {
  const wait = retryAfter ?? (status === 429 ? 1 : undefined);
  return new InjectedFault({
    status,
    code: code ?? CODE_OF_STATUS[status] ?? 'injected_fault',
    type: 'api_error',
    asked: true,
    ...(message ? { message } : {}),
    headers: wait === undefined ? {} : { 'retry-after': String(wait) },
  });
}
