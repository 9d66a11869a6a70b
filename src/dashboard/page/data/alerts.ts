import { roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import { useClock } from './account-and-clock.ts';
import { type AreaName, areaPathBuilders } from './areas.ts';
import { PersistedStore, useStore } from './browser.ts';
import { traceSource } from './call-api.ts';
import { useChosenAccountId } from './chosen-account.ts';
import { useHeldMessages } from './holds.ts';
import { useRecordCounts } from './order-store.ts';
import { useOperation, useRows } from './queries.ts';

export interface Alert {
  area: AreaName;
  n: number;
  tone: 'bad' | 'wait';
  text: string;
  href: string;
}

const MAX_DELIVERIES = 300;

/** Milliseconds between verdicts, each of which examines every request. */
const JUDGED_AGAIN = 30_000;
/** With more requests, the verdict is computed only on its own page: 10,000 requests take about a second. */
export const MAX_AUTO_VERDICT_REQUESTS = 5000;

/** When the user last looked at the deliveries, in ISO 8601. */
const looked = new PersistedStore('looked-at-deliveries', '');

export function markDeliveriesSeen(now: string): void {
  looked.set(now);
}

/** The alerts, the most urgent first. Empty in a trace. */
export function useAlerts(): Alert[] {
  const enabled = traceSource.value === undefined;
  const since = useStore(looked);
  const { movedBy, isFrozen, isBehind } = useClock();
  const { data: runs = [] } = useRows('listRuns', { status: 'waiting', limit: 100 }, { enabled });
  const { data: deliveries = [] } = useRows('listDeliveries', { limit: MAX_DELIVERIES }, { enabled });
  const { data: rules = [] } = useRows('listFaults', {}, { enabled });
  const held = useHeldMessages();
  const only = useChosenAccountId();
  const findings = useVerdict(only, enabled)?.findings.length ?? 0;
  const refused = deliveries.filter(({ status, attempted_at }) => status === 'failed' && (attempted_at ?? '') > since);
  const armed = rules.filter(({ times, applied }) => times === 0 || applied < times);
  if (!enabled) return [];
  const away = movedBy === 0 ? '' : `${roundedDurationText(Math.abs(movedBy))} ${movedBy > 0 ? 'ahead' : 'behind'}`;
  const clock = `clock ${[isFrozen ? 'frozen' : '', away].filter(Boolean).join(', ')}`;
  const isOdd = isFrozen || isBehind || movedBy > 0;
  const alerts: Alert[] = [
    alert(['live', 'wait'], held.length, ['held', 'held'], areaPathBuilders.live()),
    alert(
      ['flows', 'wait'],
      runs.length,
      ['run', 'runs', ' waiting'],
      `${areaPathBuilders.flows()}?tab=runs&status=waiting`,
    ),
    alert(
      ['webhooks', 'bad'],
      refused.length,
      ['delivery', 'deliveries', ' failed'],
      `${areaPathBuilders.live()}?q=is:refused`,
    ),
    { area: 'jobs', tone: 'wait', n: isOdd ? 1 : 0, text: clock, href: areaPathBuilders.jobs() },
    alert(['verdict', 'bad'], findings, ['finding', 'findings'], areaPathBuilders.verdict()),
    alert(['faults', 'wait'], armed.length, ['fault', 'faults', ' active'], areaPathBuilders.faults()),
  ];
  return alerts.filter(({ n }) => n > 0);
}

function useVerdict(accountId: string | undefined, enabled: boolean) {
  const counts = useRecordCounts(enabled);
  const isSoon = counts !== undefined && counts.request <= MAX_AUTO_VERDICT_REQUESTS;
  const options = { again: JUDGED_AGAIN, enabled: enabled && isSoon };
  const { data } = useOperation('judgeClient', { account_id: accountId }, options);
  return isSoon ? data : undefined;
}

type Words = [one: string, many: string, both?: string];

function alert([area, tone]: [AreaName, Alert['tone']], n: number, [one, many, both = '']: Words, href: string): Alert {
  return { area, n, tone, text: `${n} ${n === 1 ? one : many}${both}`, href };
}
