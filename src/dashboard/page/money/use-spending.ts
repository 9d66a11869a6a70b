import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { SpendingRecord } from '../../../control/spending-control.ts';
import { browserNow, later } from '../data/browser-time.ts';
import { callControl, withParams } from '../data/call-api.ts';
import { useSecond } from '../data/emulator-clock.ts';
import type { Account } from '../data/records.ts';

/** Milliseconds between two sums at least, and by how much longer than a sum takes nobody asks for the next one. */
const PAUSE = 500;
const REST = 30;

/** What an account spent since a time (ISO 8601). A sum over a million entries takes its time: it is asked for rarely. */
export function useSpending({ id, credits }: Account, since: string | undefined) {
  const [asked, setAsked] = useState(credits);
  const latest = useRef(credits);
  latest.current = credits;
  const found = useQuery({
    queryKey: ['spending', id, since ?? 'all', asked],
    queryFn: async () => {
      const began = browserNow();
      const path = withParams(`/accounts/${id}/usage/summary`, { since });
      const spending = await callControl<SpendingRecord>('GET', path);
      return { spending, took: browserNow() - began };
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const pause = Math.max(PAUSE, (found.data?.took ?? 0) * REST);
  const isBehind = asked !== credits && !found.isFetching;
  useEffect(() => {
    if (isBehind) return later(pause, () => setAsked(latest.current));
  }, [isBehind, pause]);
  return { spending: found.data?.spending, error: found.error };
}

export const RANGES = [
  ['day', '24 hours'],
  ['month', '30 days'],
  ['all', 'All'],
] as const;

const LENGTHS: Record<string, number> = { day: 86_400, month: 30 * 86_400 };
const MINUTE = 60;

/** Unix seconds at which a range begins, by the emulator's clock and to the minute; undefined for all of time. */
export function useSince(range: string): number | undefined {
  const now = useSecond();
  const length = LENGTHS[range];
  if (length === undefined) return undefined;
  return Math.floor(now / MINUTE) * MINUTE - length;
}

export function isoOf(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}
