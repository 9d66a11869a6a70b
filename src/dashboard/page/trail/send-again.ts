import { withKey } from '../data/borrow-key.ts';
import { ask } from '../data/call-api.ts';
import type { RequestRecord } from '../data/records.ts';

/** Why a request cannot be sent as it was; undefined when it can. */
export function whyNotAgain({ account_id, method, request }: RequestRecord): string | undefined {
  if (account_id === null) return 'It came without a good key.';
  if (request === null && method === 'POST') return 'Its upload is not kept.';
  if (request?.includes('… [cut: ')) return 'Its body was too long to be kept whole.';
  return undefined;
}

/** Sends a request once more, as the same account; answers the id of the new one. */
export function sendAgain(record: RequestRecord): Promise<string | undefined> {
  const { account_id, method, path, request } = record;
  return withKey(account_id ?? '', async (key) => {
    const authorization = `Bearer ${key}`;
    const typed: Record<string, string> = request === null ? {} : { 'content-type': 'application/json' };
    const response = await ask(path, {
      method,
      headers: { authorization, ...typed },
      body: request,
    });
    await response.arrayBuffer();
    return response.headers.get('x-request-id') ?? undefined;
  });
}
