import * as icons from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { parseSearchTerms } from '../../../control/search/search-query.ts';
import { ActionButton } from '../components/action-button.tsx';
import { Button, ErrorNotice, LinkButton, LiveOnly, PageHeader, SegmentedControl } from '../components/page-parts.tsx';
import { SearchBox } from '../components/search-box.tsx';
import { formatNumber, pluralizeCount } from '../components/values.tsx';
import { useUrlParam } from '../data/addresses.ts';
import { useAlerts } from '../data/alerts.ts';
import { setTimer } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { endHoverPause, pausedLiveView, useLiveRequests, useOrderSearch } from '../data/order-store.ts';
import { Orders, type OrdersProps } from './order-list.tsx';
import './live.css';
import { areaPathBuilders } from '../data/areas.ts';
import { useChosenAccountId } from '../data/chosen-account.ts';

const OUTCOMES = { '': 'All', 'is:open': 'In progress', 'is:failed': 'Failed' };

export default function LivePage() {
  const [q, setQ] = useUrlParam('q');
  const only = useChosenAccountId();
  const found = useOrderSearch(q.trim(), only);
  const live = useLiveRequests();
  useEffect(() => endHoverPause, []);
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
          <Button
            text="Pause"
            icon={live.isPaused ? icons.Play : icons.Pause}
            aria-pressed={live.isPaused}
            onClick={() => (live.isPaused ? pausedLiveView.set(undefined) : live.pause())}
          />
          <ActionButton {...TRACE} variant="quiet" isSmall word="Save" />
        </LiveOnly>
      </PageHeader>
      <LiveOnly>
        <AlertBar live={live} />
      </LiveOnly>
      <ErrorNotice error={found.error ?? live.error} />
      <div
        className="held-list column fill"
        onPointerEnter={({ pointerType }) => pointerType === 'mouse' && !live.isPaused && live.pause(true)}
        onPointerLeave={endHoverPause}
      >
        <Orders {...{ q, only, found, live }} />
      </div>
    </>
  );
}

function withOutcome(q: string, to: string): string {
  const others = parseSearchTerms(q).flatMap(({ text }) => (Object.hasOwn(OUTCOMES, text) ? [] : text));
  return [...others, to].filter(Boolean).join(' ');
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

const ICONS: Record<string, icons.LucideIcon> = {
  live: icons.Hand,
  flows: icons.Workflow,
  webhooks: icons.Webhook,
  jobs: icons.Clock,
  faults: icons.ShieldAlert,
  verdict: icons.Scale,
};

function AlertBar({ live: { waiting, showWaiting } }: Pick<OrdersProps, 'live'>) {
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
      {waiting > 0 && (
        <Button text={`${formatNumber(waiting)} new`} icon={icons.ArrowUp} variant="primary" onClick={showWaiting} />
      )}
    </div>
  );
}
