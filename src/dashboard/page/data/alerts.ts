import { roundedDurationText } from '../../../control/orders/timeline-entry.ts';
import { useClock } from './account-and-clock.ts';
import { type AreaName, areaPathBuilders } from './areas.ts';
import { createPersistedStore, useStore } from './browser.ts';
import { traceSource } from './call-api.ts';
import { useChosenAccountId } from './chosen-account.ts';
import { useHeldMessages } from './holds.ts';
import { useRecordCounts } from './order-store.ts';
import { useOperation, useRows } from './queries.ts';
import type { Delivery } from './records.ts';

export interface Alert {
  area: AreaName;
  n: number;
  tone: 'bad' | 'wait';
  text: string;
  href: string;
}

const MAX_DELIVERIES = 300;

/** Milliseconds between verdicts, each of which examines every request. */
const judgedAgain = () => 30_000;
/** With more requests, the verdict is computed only on its own page: 10,000 requests take about a second. */
export const MAX_AUTO_VERDICT_REQUESTS = 5000;

/** When the user last looked at the deliveries, in ISO 8601. */
export const deliveriesSeenAt = createPersistedStore('looked-at-deliveries', '');

/** The alerts, the most urgent first. Empty in a trace. */
export function useAlerts(): Alert[] {
  const enabled = traceSource.value === undefined;
  const since = useStore(deliveriesSeenAt);
  const { movedBy, isFrozen, isBehind } = useClock();
  const { data: { length: runs } = [] } = useRows('listRuns', { status: 'waiting', limit: 100 }, { enabled });
  const { data: deliveries = [] } = useRows('listDeliveries', { limit: MAX_DELIVERIES }, { enabled });
  const { data: rules = [] } = useRows('listFaults', {}, { enabled });
  const held = useHeldMessages().length;
  const only = useChosenAccountId();
  const requests = useRecordCounts(enabled)?.request ?? Number.POSITIVE_INFINITY;
  const judges = enabled && requests <= MAX_AUTO_VERDICT_REQUESTS;
  const { data: judged } = useOperation('judgeClient', { account_id: only }, { again: judgedAgain, enabled: judges });
  const findings = judges ? (judged?.findings.length ?? 0) : 0;
  const isUnseen = ({ status, attempted_at }: Delivery) => status === 'failed' && (attempted_at ?? '') > since;
  const refused = deliveries.filter(isUnseen).length;
  const armed = rules.filter(({ times, applied }) => times === 0 || applied < times).length;
  if (!enabled) return [];
  const away = movedBy === 0 ? '' : `${roundedDurationText(Math.abs(movedBy))} ${movedBy > 0 ? 'ahead' : 'behind'}`;
  const clock = `clock ${[isFrozen ? 'frozen' : '', away].filter(Boolean).join(', ')}`;
  const isOdd = isFrozen || isBehind || movedBy > 0;
  const { live, flows, jobs, verdict, faults } = areaPathBuilders;
  const counted = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;
  const alerts: readonly [AreaName, Alert['tone'], n: number, text: string, href: string][] = [
    ['live', 'wait', held, `${held} held`, live()],
    ['flows', 'wait', runs, counted(runs, 'run waiting', 'runs waiting'), `${flows()}?tab=runs&status=waiting`],
    ['webhooks', 'bad', refused, counted(refused, 'delivery failed', 'deliveries failed'), `${live()}?q=is:refused`],
    ['jobs', 'wait', isOdd ? 1 : 0, clock, jobs()],
    ['verdict', 'bad', findings, counted(findings, 'finding', 'findings'), verdict()],
    ['faults', 'wait', armed, counted(armed, 'fault active', 'faults active'), faults()],
  ];
  return alerts.flatMap(([area, tone, n, text, href]) => (n > 0 ? { area, tone, n, text, href } : []));
}
