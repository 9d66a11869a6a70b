import * as icons from 'lucide-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { parseSearchTerms } from '../../../control/search/search-query.ts';
import { ActionButton } from '../components/action-button.tsx';
import {
  Button,
  ErrorNotice,
  LinkButton,
  LiveOnly,
  PageHeader,
  SegmentedControl,
  showErrorToast,
} from '../components/page-parts.tsx';
import { SearchBox, withSearchTermToggled } from '../components/search-box.tsx';
import { formatNumber, pluralizeCount } from '../components/values.tsx';
import { useUrlParam } from '../data/addresses.ts';
import { useAlerts } from '../data/alerts.ts';
import { setTimer, useStore } from '../data/browser.ts';
import { callControl } from '../data/call-api.ts';
import { useHeldMessages } from '../data/holds.ts';
import { requestStore, useOrderSearch, useOrderSummaries, useRecordCounts } from '../data/order-store.ts';
import { LiveList } from './order-list.tsx';
import {
  liveRowFromHeldMessage,
  liveRowFromOrder,
  mergeRowsByTime,
  useGroupedRequestRows,
  useManualFlowRunRows,
  useNoteRows,
  useOpenRequestRows,
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
  const outcome = parseSearchTerms(q).find(({ text }) => Object.hasOwn(OUTCOMES, text))?.text ?? '';
  useEffect(() => {
    if (!requestStore.value.isLoaded) requestStore.load().catch(showErrorToast);
  }, []);
  return (
    <>
      <PageHeader title="Live">
        <SearchBox
          label="Search requests"
          hint="Words, ids, status:402, is:failed, has:refund, took:>1s"
          value={q}
          onChange={setQ}
          count={<Count found={found} />}
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
          <PauseButton />
          <ActionButton {...TRACE} variant="quiet" isSmall word="Save" />
        </LiveOnly>
      </PageHeader>
      <LiveOnly>
        <AlertBar>
          <NewRequests />
        </AlertBar>
      </LiveOnly>
      <ErrorNotice error={found.error} />
      <PauseOnHover>
        <Orders {...{ q, only, found }} />
      </PauseOnHover>
    </>
  );
}

interface OrdersProps {
  q: string;
  only: string | undefined;
  found: ReturnType<typeof useOrderSearch>;
}

/** The list of orders is a component of its own, because only the list renders many times a second. */
function Orders({ q, only, found }: OrdersProps) {
  const [drawn, setDrawn] = useState<readonly string[]>([]);
  const lines = useOrderSummaries(drawn);
  const held = useHeldMessages(only);
  const open = useOpenRequestRows(only, held);
  const waiting = useWaitingFlowRunRows(only, q === '', lines);
  const folded = useGroupedRequestRows(lines);
  const runs = useManualFlowRunRows();
  const notes = useNoteRows(only);
  const { isSearch, isNone, more } = found;
  const searched = useRecordCounts();
  const others = useMemo(() => [...runs, ...notes], [runs, notes]);
  const all = useMemo(() => mergeRowsByTime(folded, others), [folded, others]);
  const matches = found.rows.map((line) => liveRowFromOrder(line));
  const rows = isSearch ? mergeRowsByTime(matches, q === '' ? notes : []) : all;
  const first = [...held.map(liveRowFromHeldMessage), ...waiting, ...open];
  const waitingIds = new Set(waiting.map(({ id }) => id));
  return (
    <LiveList
      rows={q === '' ? [...first, ...rows.filter(({ id }) => !waitingIds.has(id))] : rows}
      {...{ q, onDrawn: setDrawn, searched: isNone ? searched : undefined }}
      foot={<Foot {...{ isSearch, more }} />}
    />
  );
}

function withOutcome(q: string, to: string): string {
  const plain = withSearchTermToggled(withSearchTermToggled(q, 'is:open', false), 'is:failed', false);
  return to === '' ? plain : withSearchTermToggled(plain, to, true);
}

function PauseOnHover({ children }: { children: ReactNode }) {
  const byHand = useRef(true);
  const goOn = useCallback(() => {
    if (!byHand.current) requestStore.goOn();
  }, []);
  useEffect(() => goOn, [goOn]);
  return (
    <div
      className="held-list column fill"
      onPointerEnter={({ pointerType }) => {
        byHand.current = requestStore.value.isPaused;
        if (pointerType === 'mouse' && !byHand.current) requestStore.pause();
      }}
      onPointerLeave={goOn}
    >
      {children}
    </div>
  );
}

const reload = () => void requestStore.reload().catch(showErrorToast);

function NewRequests() {
  const { held, missed } = useStore(requestStore);
  if (missed > 0) return <Button text={`${formatNumber(missed)} not shown: reload`} variant="quiet" onClick={reload} />;
  if (held === 0) return null;
  const look = { text: `${formatNumber(held)} new`, icon: icons.ArrowUp, variant: 'primary' } as const;
  return <Button {...look} onClick={() => requestStore.showHeld()} />;
}

function Count({ found: { isSearch, rows, more } }: Pick<OrdersProps, 'found'>) {
  const { rows: loaded, hasOlder } = useStore(requestStore);
  const known = useRecordCounts()?.request ?? loaded.length;
  const all = Math.max(known, isSearch ? rows.length : loaded.length);
  if (isSearch) {
    return (
      <span role="status">{`${formatNumber(rows.length)}${more ? '+' : ''} of ${pluralizeCount(all, 'request')}`}</span>
    );
  }
  if (hasOlder) return `${formatNumber(loaded.length)} of ${pluralizeCount(all, 'request')}`;
  return pluralizeCount(all, 'request');
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

function PauseButton() {
  const { isPaused } = useStore(requestStore);
  const [icon, act] = isPaused ? [icons.Play, () => requestStore.goOn()] : [icons.Pause, () => requestStore.pause()];
  return <Button text="Pause" icon={icon} aria-pressed={isPaused} onClick={act} />;
}

function Foot({ isSearch, more }: { isSearch: boolean; more: (() => void) | undefined }) {
  const { hasOlder } = useStore(requestStore);
  if (isSearch) return more && <Button text="Show older" onClick={more} />;
  if (!hasOlder) return null;
  return <Button text="Show older" onClick={() => void requestStore.loadOlder().catch(showErrorToast)} />;
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
