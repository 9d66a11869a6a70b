import type { DeliveryRecord } from '../../../webhooks/webhook-records.ts';
import { recordSource } from './call-api.ts';
import { useAccounts, useOnlyAccount } from './chosen-account.ts';
import { useClock } from './emulator-clock.ts';
import { useHeld } from './holds.ts';
import type { SearchAnswer } from './order-store.ts';
import { PersistedStore, useStore } from './page-store.ts';
import { type Area, at } from './paths.ts';
import { useList, useRecord } from './queries.ts';

/** Something that waits for a person, or that makes the next request surprise: where it is, how many, and what it is. */
export interface Alert {
  area: Area;
  n: number;
  tone: 'bad' | 'wait';
  text: string;
  href: string;
}

/** How many deliveries are looked at, and from which share of a budget on its end is near. */
const MOST = 300;
const NEAR = 0.9;

/** How often the client is judged anew, in milliseconds: all that is on record is looked at. */
const JUDGED_AGAIN = 30_000;
/** Of more requests it is judged only where somebody asks for it: that takes a second for some ten thousand. */
export const MOST_JUDGED = 5000;

/** When somebody last looked at the deliveries that were refused: ISO 8601. */
const looked = new PersistedStore('looked-at-deliveries', '');

/** From now on those refused so far are known. */
export function markDeliveriesSeen(now: string): void {
  looked.set(now);
}

/** What needs somebody, most urgent first; nobody can do anything about what is on record alone. */
export function useAlerts(): Alert[] {
  const enabled = recordSource.value === undefined;
  const since = useStore(looked);
  const { accounts } = useAccounts();
  const { movedBy, isFrozen } = useClock();
  const { data: runs = [] } = useList('/runs', { params: { status: 'waiting', limit: 100 }, enabled });
  const { data: deliveries = [] } = useList<DeliveryRecord>('/deliveries', { params: { limit: MOST }, enabled });
  const { data: rules = [] } = useList<{ times: number; strikes: number }>('/faults', { enabled });
  const held = useHeld();
  const only = useOnlyAccount();
  const findings = useVerdict(only, enabled)?.findings.length ?? 0;
  const refused = deliveries.filter(({ status, attempted_at }) => status === 'failed' && (attempted_at ?? '') > since);
  const armed = rules.filter(({ times, strikes }) => times === 0 || strikes < times);
  const near = accounts.filter(({ budget }) => budget !== null && budget.spent >= budget.credits * NEAR);
  const away = movedBy === 0 ? '' : `${daysOf(movedBy)} ${movedBy > 0 ? 'ahead' : 'behind'}`;
  if (!enabled) return [];
  const clock = ['clock is', [isFrozen ? 'frozen' : '', away].filter(Boolean).join(', ')].join(' ');
  const isOdd = isFrozen || movedBy !== 0;
  const alerts: Alert[] = [
    alert(['live', 'wait'], held.length, ['held', 'held'], at.live()),
    alert(['flows', 'wait'], runs.length, ['run waits', 'runs wait'], `${at.flows()}?tab=runs&status=waiting`),
    alert(['webhooks', 'bad'], refused.length, ['delivery refused', 'deliveries refused'], `${at.live()}?q=is:refused`),
    alert(['money', 'wait'], near.length, ['budget near the end', 'budgets near the end'], at.people()),
    { area: 'jobs', tone: 'wait', n: isOdd ? 1 : 0, text: clock, href: at.jobs() },
    alert(['verdict', 'bad'], findings, ['finding of the verdict', 'findings of the verdict'], at.verdict()),
    alert(['faults', 'wait'], armed.length, ['fault armed', 'faults armed'], at.faults()),
  ];
  return alerts.filter(({ n }) => n > 0);
}

/** What the client did wrong, as long as that is soon found out. */
function useVerdict(accountId: string | undefined, enabled: boolean): { findings: unknown[] } | undefined {
  const again = JUDGED_AGAIN;
  const { data: counted } = useRecord<SearchAnswer>('/search', { params: { limit: 1 }, again, enabled });
  const isSoon = counted !== undefined && counted.searched.request <= MOST_JUDGED;
  const params = { account_id: accountId };
  const { data } = useRecord<{ findings: unknown[] }>('/verdict', { params, again, enabled: enabled && isSoon });
  return isSoon ? data : undefined;
}

/** So many of what is called by one word or, of several, by another. */
function alert([area, tone]: [Area, Alert['tone']], n: number, [one, many]: [string, string], href: string): Alert {
  return { area, n, tone, text: `${n} ${n === 1 ? one : many}`, href };
}

function daysOf(seconds: number): string {
  const away = Math.abs(seconds);
  if (away >= 86_400) return `${Math.round(away / 86_400)} days`;
  return away >= 3600 ? `${Math.round(away / 3600)} h` : `${Math.round(away / 60)} min`;
}
