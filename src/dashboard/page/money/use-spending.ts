import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { SpendingRecord } from '../../../control/spending-control.ts';
import { browserNow, later } from '../data/browser-time.ts';
import { callControl, withParams } from '../data/call-api.ts';
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
