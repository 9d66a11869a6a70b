import type { RealTarget } from '../base/config/real-target.ts';
import { ControlError } from './control-connection.ts';

/** Reads a path of the service itself, as a run with `SVC_TARGET=real` does. */
export type CallService = (path: string) => Promise<unknown>;

/** Rejects where the service answers no balance. */
export async function accountOf(call: CallService): Promise<{ credits: number }> {
  const account = (await call('/v1/account')) as { credits: number };
  if (Number.isInteger(account?.credits)) return account;
  throw new Error('GET /v1/account has no whole number of credits.');
}

/** Reads the service. Rejects with `ControlError` for a refusal. */
export function serviceCalls({ url, key }: RealTarget): CallService {
  return async (path) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` }, redirect: 'error' });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new ControlError(response.status, refusalIn(text, response.status));
  };
}

/** What another service answers may have another shape. */
function refusalIn(text: string, status: number): { code: string; message: string; param: string | null } {
  try {
    const { code, message, param = null } = JSON.parse(text).error;
    return { code: String(code), message: String(message), param };
  } catch {
    return { code: 'unknown', message: `The service answered ${status}: ${text.slice(0, 300)}`, param: null };
  }
}
