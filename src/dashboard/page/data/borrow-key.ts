import { ApiError, callControl, callService } from './call-api.ts';
import { WELL_KNOWN_KEY } from './chosen-account.ts';

/**
 * Does something with a key of an account. Keys are not kept where they could be read: the first account has its
 * well-known one, another account gets a key for this moment only.
 */
export async function withKey<T>(accountId: string, use: (key: string) => Promise<T>): Promise<T> {
  if (await isOfWellKnownKey(accountId)) return use(WELL_KNOWN_KEY);
  const { id, api_key: key } = await callControl<{ id: string; api_key: string }>(
    'POST',
    `/accounts/${accountId}/keys`,
  );
  try {
    return await use(key);
  } finally {
    await callControl('DELETE', `/keys/${id}`);
  }
}

async function isOfWellKnownKey(accountId: string): Promise<boolean> {
  const { data } = await callControl<{ data: { id: string }[] }>('GET', '/accounts');
  if (data.at(-1)?.id !== accountId) return false;
  try {
    await callService('GET', '/account', { key: WELL_KNOWN_KEY });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}
