import { formatNumber } from '../pieces/credits.tsx';
import { lengthOfTime } from '../pieces/relative-time.tsx';
import type { Tone } from '../pieces/status-badge.tsx';
import type { FaultMatch, Rule } from './fault-records.ts';

/** Which requests a rule means; `accountId` is whose page this is. */
export function matchText({ path, method, model, contains, take, nth, account_id }: FaultMatch, accountId?: string) {
  const whose = account_id === accountId ? 'this account' : account_id;
  const parts = [
    method,
    path,
    model,
    contains === undefined ? undefined : `with “${contains}”`,
    take === undefined ? undefined : `take ${take}`,
    nth === undefined ? undefined : `the one numbered ${nth}`,
    account_id === undefined ? undefined : `of ${whose}`,
  ];
  return parts.filter(Boolean).join(' ') || 'every request';
}

/** `2 of 3`; `5, no end`. */
export function strikesText({ count: { done, of } }: Rule): string {
  return of === 0 ? `${formatNumber(done)}, no end` : `${done} of ${of}`;
}

/** What a rule still does. */
export function stateOf({ expires, count: { done, of } }: Rule, now: number): { text: string; tone: Tone } {
  if (of !== 0 && done >= of) return { text: 'used up', tone: 'plain' };
  if (expires !== null && expires <= now) return { text: 'expired', tone: 'plain' };
  if (expires !== null) return { text: `${lengthOfTime(expires - now)} left`, tone: 'wait' };
  return { text: 'armed', tone: 'wait' };
}
