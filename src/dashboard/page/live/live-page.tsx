import * as icons from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { parseSearchTerms } from '../../../control/search/search-query.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Button, ErrorNotice, LinkButton, LiveOnly, PageHeader, SegmentedControl } from '../components/page-parts.tsx';
import { SearchBox, withSearchTermToggled } from '../components/search-box.tsx';
import { formatNumber, pluralizeCount } from '../components/values.tsx';
import { useUrlParam } from '../data/addresses.ts';
import { useAlerts } from '../data/alerts.ts';
import { setTimer } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useHeldMessages } from '../data/holds.ts';
import {
  type LiveRequests,
  showArrivals,
  useLiveRequests,
  useOrderSearch,
  useOrderSummaries,
  useRecordCounts,
} from '../data/order-store.ts';
import { LiveList } from './order-list.tsx';
import {
  groupedRequestRows,
  liveRowFromHeldMessage,
  liveRowFromOrder,
  mergeRowsByTime,
  openRequestRows,
  useManualFlowRunRows,
  useNoteRows,
  useWaitingFlowRunRows,
} from './order-row.ts';
import './live.css';
import { areaPathBuilders } from '../data/areas.ts';
import { useChosenAccountId } from '../data/chosen-account.ts';

const OUTCOMES = { '': 'All', 'is:open': 'In progress', 'is:failed': 'Failed' };

export default function LivePage() {
  const [q, setQ] = useUrlParam('q');
  const only = useChosenAccountId();
  const found = useOrderSearch(q.trim(), only);
  const live = useLiveRequests();
  const outcome = parseSearchTerms(q).find(({ text }) => Object.hasOwn(OUTCOMES, text))?.text ?? '';
  return (
    <>
      <PageHeader title="Live">
        <SearchBox
          label="Search requests"
          hint="Words, ids, status:402, is:failed, has:refund, took:>1s"
          value={q}
          onChange={setQ}
          count={<Count {...{ found, live }} />}
        />
        <span className="grow" />
        <SegmentedControl
          label="Outcome"
          value={outcome}
          options={OUTCOMES}
          onChange={(to) => setQ(withOutcome(q, to))}
        />
        <LiveOnly>
          <span className="wide-only">
            <LinkButton text="Hold" icon={icons.CirclePause} href={`${areaPathBuilders.faults('new')}?kind=hold`} />
          </span>
          <PauseButton live={live} />
          <ActionButton {...TRACE} variant="quiet" isSmall word="Save" />
        </LiveOnly>
      </PageHeader>
      <LiveOnly>
        <AlertBar>
          {live.waiting > 0 && (
            <Button
              text={`${formatNumber(live.waiting)} new`}
              icon={icons.ArrowUp}
              variant="primary"
              onClick={live.showWaiting}
            />
          )}
        </AlertBar>
      </LiveOnly>
      <ErrorNotice error={found.error ?? live.error} />
      <PauseOnHover live={live}>
        <Orders {...{ q, only, found, live }} />
      </PauseOnHover>
    </>
  );
}

interface OrdersProps {
  q: string;
  only: string | undefined;
  found: ReturnType<typeof useOrderSearch>;
  live: LiveRequests;
}

function Orders({ q, only, found, live }: OrdersProps) {
  const [drawn, setDrawn] = useState<readonly string[]>([]);
  const lines = useOrderSummaries(drawn);
  const held = useHeldMessages(only);
  const open = openRequestRows(live, { accountId: only, held, lines });
  const waiting = useWaitingFlowRunRows(only, q === '', lines);
  const runs = useManualFlowRunRows();
  const notes = useNoteRows(only);
  const { isSearch, isNone } = found;
  const shown = isSearch ? found : live;
  const searched = useRecordCounts();
  const rows = isSearch
    ? mergeRowsByTime(
        found.rows.map((line) => liveRowFromOrder(line)),
        q === '' ? notes : [],
      )
    : mergeRowsByTime(groupedRequestRows(live.rows, lines), [...runs, ...notes]);
  const first = [...held.map(liveRowFromHeldMessage), ...waiting, ...open];
  const waitingIds = new Set(waiting.map(({ id }) => id));
  return (
    <LiveList
      rows={q === '' ? [...first, ...rows.filter(({ id }) => !waitingIds.has(id))] : rows}
      {...{ q, onDrawn: setDrawn, isLoading: live.isPending, searched: isNone ? searched : undefined }}
      foot={shown.hasMore && <Button text="Show older" disabled={!shown.more} onClick={shown.more} />}
    />
  );
}

function withOutcome(q: string, to: string): string {
  const plain = withSearchTermToggled(withSearchTermToggled(q, 'is:open', false), 'is:failed', false);
  return to === '' ? plain : withSearchTermToggled(plain, to, true);
}

function PauseOnHover({ live, children }: { live: LiveRequests; children: ReactNode }) {
  const byHand = useRef(true);
  const goOn = useCallback(() => {
    if (!byHand.current) showArrivals();
  }, []);
  useEffect(() => goOn, [goOn]);
  return (
    <div
      className="held-list column fill"
      onPointerEnter={({ pointerType }) => {
        byHand.current = live.isPaused;
        if (pointerType === 'mouse' && !byHand.current) live.pause();
      }}
      onPointerLeave={goOn}
    >
      {children}
    </div>
  );
}

function Count({ found: { isSearch, rows, hasMore }, live }: Pick<OrdersProps, 'found' | 'live'>) {
  const all = pluralizeCount(Math.max(live.known, isSearch ? rows.length : live.rows.length), 'request');
  if (isSearch) return <span role="status">{`${formatNumber(rows.length)}${hasMore ? '+' : ''} of ${all}`}</span>;
  return live.hasMore ? `${formatNumber(live.rows.length)} of ${all}` : all;
}

async function saveTrace(): Promise<void> {
  const url = URL.createObjectURL(new Blob([await callControl('saveTrace', {})], { type: 'text/html' }));
  const link = Object.assign(document.createElement('a'), { href: url, download: 'svc-trace.html' });
  link.click();
  setTimer(60_000, () => URL.revokeObjectURL(url));
}

const TRACE = {
  text: 'Save a trace',
  busy: 'Saving',
  icon: icons.FileDown,
  act: saveTrace,
  title: 'Save all recorded requests as one HTML page',
};

function PauseButton({ live: { isPaused, pause } }: { live: LiveRequests }) {
  const [icon, onClick] = isPaused ? [icons.Play, showArrivals] : [icons.Pause, pause];
  return <Button text="Pause" aria-pressed={isPaused} {...{ icon, onClick }} />;
}

const ICONS: Record<string, icons.LucideIcon> = {
  live: icons.Hand,
  flows: icons.Workflow,
  webhooks: icons.Webhook,
  money: icons.CircleDollarSign,
  jobs: icons.Clock,
  faults: icons.ShieldAlert,
  verdict: icons.Scale,
};

function AlertBar({ children }: { children: ReactNode }) {
  const alerts = useAlerts();
  return (
    <div className="alerts row ruled fixed">
      {alerts.length === 0 && <span className="soft alerts-none">All clear</span>}
      {alerts.map(({ area, tone, text, href }) => {
        const Icon = ICONS[area] ?? icons.Clock;
        return (
          <Link key={area} href={href} data-tone={tone} className="alert-link button" data-variant="quiet">
            <Icon aria-hidden />
            {text}
          </Link>
        );
      })}
      <span className="grow" />
      {children}
    </div>
  );
}
