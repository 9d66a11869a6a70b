import {
  ArrowUp,
  CircleDollarSign,
  CirclePause,
  Clock,
  FileDown,
  Hand,
  type LucideIcon,
  Pause,
  Play,
  Scale,
  ShieldAlert,
  Trash2,
  Webhook,
  Workflow,
} from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Link } from 'wouter';
import { useAlerts } from '../data/alerts.ts';
import { callControl, playbackText } from '../data/call-api.ts';
import { useOnlyAccount } from '../data/chosen-account.ts';
import { type Held, useHeld } from '../data/holds.ts';
import { type OrderLine, orderStore, useFoundOrders } from '../data/order-store.ts';
import { useStore } from '../data/page-store.ts';
import { at } from '../data/paths.ts';
import { useList } from '../data/queries.ts';
import type { RequestLine } from '../data/records.ts';
import { type FoldedRequest, foldRequests, type OpenRequest, openStore, requestStore } from '../data/request-store.ts';
import { ActionButton, Choices } from '../pieces/action-button.tsx';
import { useFilter } from '../pieces/browser-hooks.ts';
import { Button, ErrorNotice, LinkButton, LiveOnly, PageHead } from '../pieces/page-parts.tsx';
import { completeTerms, partsOf, SearchBox, withToken } from '../pieces/search-box.tsx';
import { showError } from '../pieces/toast.tsx';
import { formatNumber } from '../pieces/values.tsx';
import { OrderList } from './order-list.tsx';
import { type OrderRow, rowOfFolded, rowOfHeld, rowOfLine, rowOfOpen, rowOfRun } from './order-row.ts';
import './live.css';

const OUTCOMES = Object.entries({ '': 'All', 'is:open': 'Under way', 'is:failed': 'Failed' });

/** Among so many of the newest requests stands what has just been answered. */
const NEWEST = 200;

/** Orders as they happen: what was asked, of whom, what came of it. */
export default function LivePage() {
  const [q, setQ] = useFilter('q');
  const only = useOnlyAccount();
  const found = useFoundOrders(completeTerms(q), only);
  useEffect(() => {
    if (!requestStore.value.isLoaded) requestStore.load().catch(showError);
  }, []);
  return (
    <>
      <PageHead title="Live">
        <SearchBox
          label="Search requests"
          hint="Words, ids, status:402, is:failed, has:refund, took:>1s"
          value={q}
          onChange={setQ}
          count={
            found.isSearch ? <FoundCount n={found.rows.length} hasMore={found.more !== undefined} /> : <AllCount />
          }
        />
        <span className="grow" />
        <Choices label="Outcome" value={outcomeOf(q)} options={OUTCOMES} onChange={(to) => setQ(withOutcome(q, to))} />
        <LiveOnly>
          <span className="wide-only">
            <LinkButton text="Breakpoint" icon={CirclePause} href={`${at.faults('new')}?kind=hold`} />
          </span>
          <PauseButton />
          <LinkButton {...TRACE} look="quiet" isSmall />
          <ActionButton {...CLEAR} />
        </LiveOnly>
      </PageHead>
      <AlertBar>
        <NewRequests />
      </AlertBar>
      <ErrorNotice error={found.error} />
      <PauseOnHover>
        <Orders {...{ q, only, found, onSearch: setQ }} />
      </PauseOnHover>
    </>
  );
}

interface OrdersProps {
  q: string;
  only: string | undefined;
  found: ReturnType<typeof useFoundOrders>;
  onSearch: (q: string) => void;
}

/** What is found, or else what is held, waits, is under way, and came: drawn anew many times a second, and nothing else. */
function Orders({ q, only, found, onSearch }: OrdersProps) {
  const { isLoaded } = useStore(requestStore);
  const held = useHeld(only);
  const open = useOpen(only, held);
  const waiting = useWaiting(q === '' ? only : undefined, q === '');
  const folded = useFolded();
  const { isSearch, told, more } = found;
  const rows = isSearch ? found.rows.map((line) => rowOfLine(line)) : folded;
  return (
    <OrderList
      rows={q === '' ? [...held.map(rowOfHeld), ...waiting, ...open, ...rows] : rows}
      {...{ q: completeTerms(q), told, onSearch, isLoaded }}
      foot={<Foot {...{ isSearch, more }} />}
    />
  );
}

function outcomeOf(q: string): string {
  return partsOf(q).find(({ text }) => text === 'is:open' || text === 'is:failed')?.text ?? '';
}

function withOutcome(q: string, to: string): string {
  const plain = withToken(withToken(q, 'is:open', false), 'is:failed', false);
  return to === '' ? plain : withToken(plain, to, true);
}

/** All requests that came, polls folded into their orders, with what is known of each. */
function useFolded(): readonly OrderRow[] {
  const { rows } = useStore(requestStore);
  const lines = useStore(orderStore);
  const folded = useMemo(() => foldRequests(rows), [rows]);
  const { current: drawn } = useRef(new WeakMap<RequestLine, DrawnRow>());
  return useMemo(
    () => folded.map((each) => steadyRow(drawn, each, lines.get(each.request.id))),
    [folded, lines, drawn],
  );
}

/** The same row for the same request, as long as nothing of it is another: it is not drawn anew. */
function steadyRow(drawn: WeakMap<RequestLine, DrawnRow>, each: FoldedRequest, line: OrderLine | undefined): OrderRow {
  const before = drawn.get(each.request);
  if (before && before.line === line && before.times === each.times && before.polls === each.polls) return before.row;
  const row = rowOfFolded(each, line);
  drawn.set(each.request, { ...each, line, row });
  return row;
}

interface DrawnRow extends FoldedRequest {
  line: OrderLine | undefined;
  row: OrderRow;
}

/** Runs that wait for a click stand first as long as they do. */
function useWaiting(accountId: string | undefined, isAsked: boolean): OrderRow[] {
  const params = { status: 'waiting', limit: 20, account_id: accountId };
  const { data = [] } = useList<{ id: string }>('/runs', { params, enabled: isAsked });
  const lines = useStore(orderStore);
  return isAsked ? data.map(({ id }) => rowOfRun(id, lines.get(id))) : [];
}

/** What is under way and held by nobody. While the list is held none comes, and none goes but into its own row. */
function useOpen(accountId: string | undefined, held: readonly Held[]): readonly OrderRow[] {
  const open = useStore(openStore);
  const { isPaused, rows } = useStore(requestStore);
  const shown = useRef<readonly OpenRequest[]>([]);
  const newest = new Set(rows.slice(0, open.length + NEWEST).map(({ id }) => id));
  for (const { request_id } of held) newest.add(request_id ?? '');
  const given = isPaused ? shown.current : open;
  shown.current = given.filter(({ id, account_id: whose }) => (!accountId || whose === accountId) && !newest.has(id));
  openStore.shown = shown.current.map(({ id }) => id);
  return shown.current.map(rowOfOpen);
}

/** Nothing moves from under the pointer: what comes meanwhile is told of, and comes in when it has left. */
function PauseOnHover({ children }: { children: React.ReactNode }) {
  const byHand = useRef(true);
  useEffect(
    () => () => {
      if (!byHand.current) requestStore.goOn();
    },
    [],
  );
  return (
    <div
      className="held-list column fill"
      onPointerEnter={({ pointerType }) => {
        byHand.current = requestStore.value.isPaused;
        if (pointerType === 'mouse' && !byHand.current) requestStore.pause();
      }}
      onPointerLeave={() => {
        if (!byHand.current) requestStore.goOn();
      }}
    >
      {children}
    </div>
  );
}

function NewRequests() {
  const { held, missed } = useStore(requestStore);
  if (missed > 0) {
    return (
      <Button
        text={`${formatNumber(missed)} came too fast: read them`}
        look="quiet"
        onClick={() => void requestStore.reload().catch(showError)}
      />
    );
  }
  if (held === 0) return null;
  return (
    <Button text={`${formatNumber(held)} new`} look="primary" icon={ArrowUp} onClick={() => requestStore.showHeld()} />
  );
}

function AllCount() {
  const { seen } = useStore(requestStore);
  return `${formatNumber(seen)} ${seen === 1 ? 'request' : 'requests'}`;
}

function FoundCount({ n, hasMore }: { n: number; hasMore: boolean }) {
  return (
    <span role="status">
      {formatNumber(n)}
      {hasMore && '+'} found
    </span>
  );
}

/** All that is on record, as a page that needs no emulator. */
const TRACE = {
  ...{ text: 'Save a trace', icon: FileDown, href: '/_emulator/trace', download: 'svc-trace.html' },
  title: 'Save a trace: all that is on record, as one page that needs no emulator',
};

function PauseButton() {
  const { isPaused } = useStore(requestStore);
  return (
    <Button
      text="Hold list"
      icon={isPaused ? Play : Pause}
      aria-pressed={isPaused}
      onClick={() => (isPaused ? requestStore.goOn() : requestStore.pause())}
    />
  );
}

const CLEAR = {
  text: 'Clear the record',
  icon: Trash2,
  look: 'quiet',
  isSmall: true,
  act: () => callControl<void>('DELETE', '/requests'),
  done: () => void requestStore.reload().catch(showError),
  ask: {
    title: 'Clear the record of requests?',
    note: 'Those of every account are forgotten. Money, jobs and files stay.',
    action: 'Clear',
  },
} as const;

function Foot({ isSearch, more }: { isSearch: boolean; more: (() => void) | undefined }) {
  const { hasOlder } = useStore(requestStore);
  if (isSearch) return more && <Button onClick={more}>Show older</Button>;
  if (!hasOlder) return null;
  return <Button onClick={() => void requestStore.loadOlder().catch(showError)}>Show older</Button>;
}

const ICONS: Record<string, LucideIcon> = {
  live: Hand,
  flows: Workflow,
  webhooks: Webhook,
  money: CircleDollarSign,
  jobs: Clock,
  faults: ShieldAlert,
  verdict: Scale,
};

/** What needs somebody, in one line of one height; `children` stand at its end. */
function AlertBar({ children }: { children: ReactNode }) {
  const alerts = useAlerts();
  const moment = useStore(playbackText);
  return (
    <div className="alerts row ruled fixed">
      {alerts.length === 0 && <span className="soft alerts-none">{moment ?? 'Nothing needs you'}</span>}
      {alerts.map(({ area, tone, text, href }) => {
        const Icon = ICONS[area] ?? Clock;
        return (
          <Link key={area} href={href} data-tone={tone} className="alert-link button" data-look="quiet">
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
