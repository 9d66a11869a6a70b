import { useEffect } from 'react';
import type { WireAnswer } from '../../../control/call-operation.ts';
import { browserNow, PageStore, setRepeatingTimer, useStore } from './browser.ts';
import { callControl, fetchFromEmulator, sendAsUser, traceSource } from './call-api.ts';
import { chosenAccountId, MAX_SEARCH_LENGTH } from './chosen-account.ts';
import { queryClient, useOperation, useRecord, useRows } from './queries.ts';
import type { Account, RequestRecord } from './records.ts';

export const WELL_KNOWN_KEY = 'svc_sk_local_emulator';

const MAX_AT_ONCE = 1000;
export const MAX_OFFERED_ACCOUNTS = 100;

/**
 * `areAll` is false if a thousand accounts are loaded, because more may exist. `only` is the chosen account, which
 * filters lists. `account` is the account that acts: the chosen one, or the oldest loaded one if none is chosen or the
 * chosen one is gone. `first` is the oldest account, or undefined if more than the loaded accounts may exist.
 */
export function useAccountSelection() {
  const id = useStore(chosenAccountId);
  const { data: accounts = [], isPending } = useRows('listAccounts', {});
  const areAll = accounts.length < MAX_AT_ONCE;
  const listed = accounts.find((each) => each.id === id);
  // The chosen account may be missing from the loaded list, because the search can offer others.
  const isUnlisted = id !== '' && !isPending && !listed;
  const { record: unlisted, error } = useRecord('showAccount', id, { enabled: isUnlisted });
  const only = listed ?? (isUnlisted ? unlisted : undefined);
  const first = areAll ? accounts.at(-1) : undefined;
  const isGone = isUnlisted && error !== null;
  const account = only ?? (id === '' || isGone ? accounts.at(-1) : undefined);
  return { accounts, areAll, account, only, first, isFirst: first !== undefined && account === first };
}

export function useLoadedAccount(id: string | null): Account | undefined {
  const { accounts, only } = useAccountSelection();
  return only?.id === id ? only : accounts.find((each) => each.id === id);
}

/** Until the response arrives, returns the matching accounts of the last search. */
export function useAccountSearch(typed: string): readonly Account[] {
  const q = typed.trim().slice(0, MAX_SEARCH_LENGTH);
  const { data = [] } = useRows('listAccounts', { q, limit: MAX_OFFERED_ACCOUNTS });
  const piece = q.toLowerCase();
  return data.filter(({ id, name }) => `${id} ${name ?? ''}`.toLowerCase().includes(piece));
}

/**
 * The browser stores no keys. The first account uses the well-known key while that key is valid, and other accounts get
 * a temporary one.
 */
export async function withAccountKey<T>(accountId: string, use: (key: string) => Promise<T>): Promise<T> {
  if (await isOfWellKnownKey(accountId)) return use(WELL_KNOWN_KEY);
  const { id, api_key: key } = await callControl('addKey', { id: accountId });
  try {
    return await use(key);
  } finally {
    await callControl('revokeKey', { id });
  }
}

export function resendRequest(record: RequestRecord): Promise<string | undefined> {
  return withAccountKey(record.account_id ?? '', async (key) => {
    const response = await sendAsUser(record, key);
    await response.arrayBuffer();
    return response.headers.get('x-request-id') ?? undefined;
  });
}

async function isOfWellKnownKey(accountId: string): Promise<boolean> {
  const { data: older } = await callControl('listAccounts', { after: accountId, limit: 1 });
  if (older.length > 0) return false;
  const headers = { authorization: `Bearer ${WELL_KNOWN_KEY}` };
  return (await fetchFromEmulator('/v1/account', { headers })).ok;
}

/** The smallest difference to the machine's time, in milliseconds, at which the clock is shown as moved. */
const MOVED = 30_000;
const MINUTE = 60_000;
/** From this many seconds on, the page warns that the clock is behind. */
const TOLERANCE = 300;

const second = new PageStore(0);

/** A clock that does not run, such as that of a trace, stays at the time that the emulator returned. */
export function emulatorNow(): number {
  const read = queryClient.getQueryState<WireAnswer<'getClock'>>(['getClock', {}]);
  if (!read?.data) return browserNow();
  const isStopped = read.data.frozen || traceSource.value !== undefined;
  return Date.parse(read.data.now) + (isStopped ? 0 : browserNow() - read.dataUpdatedAt);
}

/** In a trace, the time at which the traced run ended. */
export function realNow(): number {
  return traceSource.value?.trace.head.span.ended ?? browserNow();
}

export function useEmulatorTime(): number {
  return useStore(second);
}

function tick(): void {
  second.set(Math.floor(emulatorNow() / 1000));
}

/** `now` is in unix seconds. `movedBy` is in seconds, rounded to minutes, and 0 for a difference of less than 30 seconds. */
export function useClock() {
  const now = useEmulatorTime();
  const isFrozen = useOperation('getClock', {}).data?.frozen ?? false;
  const away = emulatorNow() - realNow();
  const movedBy = Math.abs(away) < MOVED ? 0 : Math.round(away / MINUTE) * 60;
  return { now, isFrozen, movedBy, isBehind: movedBy <= -TOLERANCE };
}

export function useClockSync(): void {
  const { data } = useOperation('getClock', {});
  useEffect(() => {
    if (data) tick();
    return setRepeatingTimer(1000, tick);
  }, [data]);
}

export const formatTimeWithMilliseconds = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
}).format;
