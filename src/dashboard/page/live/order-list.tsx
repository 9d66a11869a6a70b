import { useMediaQuery } from '@base-ui/react/unstable-use-media-query';
import * as icons from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import type { OutcomeTone } from '../../../control/orders/order-records.ts';
import { durationText } from '../../../control/orders/timeline-entry.ts';
import { classifySearchTerm, parseSearchTerms } from '../../../control/search/search-query.ts';
import { ActionButton } from '../components/action-button.tsx';
import { column, DataList, type ListColumn } from '../components/data-list.tsx';
import { Button, EmptyState, LiveOnly, showErrorToast, showToast } from '../components/page-parts.tsx';
import { Picture } from '../components/picture.tsx';
import { HighlightedText } from '../components/search-box.tsx';
import {
  accountDisplayName,
  CodeBlock,
  formatNumber,
  formatPlayTime,
  pluralizeCount,
  shortId,
} from '../components/values.tsx';
import { formatTimeWithMilliseconds, realNow, useEmulatorTime, useLoadedAccount } from '../data/account-and-clock.ts';
import { areaPathBuilders } from '../data/areas.ts';
import { callControl, traceSource } from '../data/call-api.ts';
import { firstCallCurlSample } from '../data/code-samples.ts';
import { type HeldMessageRow, useHeldMessages } from '../data/holds.ts';
import { LazyComponentStore, useLazyComponent } from '../data/lazy-component.ts';
import {
  type LiveRequests,
  listedOrderIds,
  type RecordCounts,
  type useOrderSearch,
  useOrderSummaries,
  useRecordCounts,
} from '../data/order-store.ts';
import { useActionMutation } from '../data/queries.ts';
import type { OrderSummary } from '../data/records.ts';
import {
  groupedRequestRows,
  isNoteId,
  type LiveRowData,
  liveRowFromHeldMessage,
  liveRowFromOrder,
  openRequestRows,
  useManualFlowRunRows,
  useNoteRows,
  useWaitingFlowRunRows,
} from './live-row.ts';

const HELD_TOOLS = new LazyComponentStore(() => import('./held-message-actions.tsx'));

function orderColumns(words: readonly string[], isNarrow: boolean): readonly ListColumn<LiveRowData>[] {
  const account = column<LiveRowData>('Account', '124px', (row) => <AccountCell row={row} />);
  return [
    column('Time (local)', '120px', (row) => (
      <Two first={<time dateTime={new Date(row.began).toISOString()}>{formatTimeWithMilliseconds(row.began)}</time>}>
        {row.took === undefined ? <Counting since={row.began} /> : durationText(row.took)}
      </Two>
    )),
    column('Result', '32px', (row) => <OrderThumb {...row} />, { unseen: true }),
    column('Request', 'minmax(0, 1fr)', (row) => <RequestCell {...{ row, words }} withAccount={isNarrow} />),
    ...(isNarrow ? [] : [account]),
    column('Response · jobs · events · deliveries', isNarrow ? '236px' : '260px', fateCell),
    column('Credits', '84px', ({ line }) => line && <CreditsCell line={line} />, { align: 'end' }),
  ];
}

function Two(props: { first: ReactNode; tone?: string | undefined; title?: string; children?: ReactNode }) {
  return (
    <span className="two">
      {props.first}
      <span className="second soft small toned" data-tone={props.tone} title={props.title}>
        {props.children}
      </span>
    </span>
  );
}

function Counting({ since }: { since: number }) {
  useEmulatorTime();
  return `${durationText(Math.max(0, realNow() - since))} …`;
}

function RequestCell(props: { row: LiveRowData; words: readonly string[]; withAccount: boolean }) {
  const { asked, line, called, accountId } = props.row;
  const message = line?.error?.message;
  const name = useAccountName(accountId);
  const first = (
    <span className="strong" dir="auto">
      <HighlightedText text={asked} words={props.words} />
    </span>
  );
  return (
    <Two first={first} tone={message && 'bad'}>
      {props.withAccount && name && `${name} · `}
      {message || called}
    </Two>
  );
}

function AccountCell({ row: { accountId, keyId } }: { row: LiveRowData }) {
  const name = useAccountName(accountId);
  return (
    <Two first={<span>{name || 'unknown key'}</span>} title={keyId ?? ''}>
      {keyId ? shortId(keyId) : 'no key'}
    </Two>
  );
}

function useAccountName(id: string | null): string {
  const account = useLoadedAccount(id);
  return account ? accountDisplayName(account) : id ? shortId(id) : '';
}

function fateCell({ line, held, tone, status }: LiveRowData): ReactNode {
  if (held) return <HeldCell held={held} />;
  if (!line && tone === 'work') {
    return (
      <span className="badge link fixed" data-slot="answer" data-tone="work" role="img" aria-label="in progress">
        <icons.LoaderCircle className="spin" aria-hidden />
      </span>
    );
  }
  if (!line) return <span className="soft small">{status}</span>;
  if (line.action.run) return <ClickButtons id={line.action.run} />;
  const { tone: came, text } = line.status;
  return (
    <Two first={<OrderChain line={line} />} tone={came === 'good' ? undefined : came}>
      <span className="cut">{text}</span>
      <WayOut line={line} />
    </Two>
  );
}

function HeldCell({ held }: { held: HeldMessageRow }) {
  const Tools = useLazyComponent(HELD_TOOLS);
  return Tools ? <Tools held={held} /> : <span className="soft small">held</span>;
}

function CreditsCell({ line }: { line: OrderSummary }) {
  const { charged, refunded } = line.status.money;
  return (
    <Two first={<b>{formatNumber(charged)}</b>} tone="good">
      {refunded > 0 && (refunded === charged ? 'refunded' : `${formatNumber(refunded)} refunded`)}
    </Two>
  );
}

export interface OrdersProps {
  q: string;
  only: string | undefined;
  found: ReturnType<typeof useOrderSearch>;
  live: LiveRequests;
}

export function Orders({ q, only, found, live }: OrdersProps) {
  const [, navigate] = useLocation();
  const [drawn, setDrawn] = useState<readonly string[]>([]);
  const lines = useOrderSummaries(drawn.filter((id) => !isNoteId(id)));
  const held = useHeldMessages(only);
  const open = openRequestRows(live, { accountId: only, held, lines });
  const waiting = useWaitingFlowRunRows(only);
  const runs = useManualFlowRunRows();
  const notes = useNoteRows(only);
  const searched = useRecordCounts();
  const isNarrow = useMediaQuery('(max-width: 1240px)', {});
  const words = parseSearchTerms(q).flatMap(({ text, whole }) => (classifySearchTerm(text) === 'word' ? whole : []));
  const { hasMore, more } = found.isSearch ? found : live;
  const matches = found.rows.map((line) => liveRowFromOrder(line));
  const past = found.isSearch ? matches : [...groupedRequestRows(live.rows, lines), ...runs];
  if (q === '') past.push(...notes);
  past.sort((a, b) => b.began - a.began);
  const first = [...held.map(liveRowFromHeldMessage), ...waiting, ...open];
  const waitingIds = new Set(waiting.map(({ id }) => id));
  const rows = q === '' ? [...first, ...past.filter(({ id }) => !waitingIds.has(id))] : past;
  const none = q.trim() === '' && !live.isPending && <NoRequests />;
  return (
    <DataList
      label="Requests"
      {...{ rows, columns: orderColumns(words, isNarrow), rowHeight: 44, ownPhoneHeight: 72 }}
      foot={hasMore && <Button text="Show older" disabled={!more} onClick={more} />}
      keyOf={({ id }) => id}
      onOpen={(id) => {
        if (isNoteId(id)) return;
        listedOrderIds.set(rows.flatMap((row) => (isNoteId(row.id) ? [] : [row.id])));
        navigate(areaPathBuilders.timeline(id));
      }}
      onDrawn={setDrawn}
      toneOf={({ tone }) => tone}
      empty={found.isNone && searched ? <NothingFound searched={searched} /> : none}
    />
  );
}

function NothingFound({ searched }: { searched: RecordCounts }) {
  const all = Object.entries(searched).map(([kind, n]) => pluralizeCount(n, kind));
  return (
    <EmptyState icon={icons.SearchX} title="No results">
      <p>Searched {all.join(', ')}.</p>
    </EmptyState>
  );
}

function NoRequests() {
  if (traceSource.value) return <EmptyState icon={icons.Activity} title="No requests in this run" />;
  return (
    <EmptyState icon={icons.Activity} title="No requests yet">
      <p>Send one to see it here:</p>
      <CodeBlock text={firstCallCurlSample()} label="The first call" />
    </EmptyState>
  );
}

const MEDIA: Record<string, icons.LucideIcon> = {
  image: icons.Image,
  video: icons.Clapperboard,
  speech: icons.AudioLines,
  music: icons.Music,
};

function OrderChain({ line }: { line: OrderSummary }) {
  const { answer, work, events, deliveries, tone } = line.status;
  const Icon = MEDIA[line.made?.medium ?? ''] ?? icons.Image;
  const answered = answer?.status === 0 ? 'reset' : answer?.status;
  return (
    <span className="chain" data-tone={tone === 'good' ? undefined : tone}>
      {answer && (
        <Link slot="answer" name={`response ${answered}`} tone={answer.tone}>
          {answered}
          {answer.cut && answer.status !== 0 && <icons.Scissors aria-hidden />}
        </Link>
      )}
      {work && (
        <Link slot="work" name={`${work.done} of ${work.of} done`} tone={work.tone}>
          {work.tone === 'work' ? <icons.LoaderCircle aria-hidden className="spin" /> : <Icon aria-hidden />}
          {work.done}/{work.of}
        </Link>
      )}
      {events && (
        <Link
          slot="events"
          name={pluralizeCount(events.done, 'event')}
          isGhost={line.time.is_open && events.done === 0}
        >
          <icons.Zap aria-hidden />
          {events.done}
        </Link>
      )}
      {deliveries && (
        <Link slot="deliveries" name={deliveredText(deliveries)} tone={deliveries.tone} isGhost={deliveries.of === 0}>
          <icons.Webhook aria-hidden />
          {deliveries.of === 0 ? 0 : `${deliveries.done}/${deliveries.of}`}
        </Link>
      )}
    </span>
  );
}

const deliveredText = ({ done, of }: { done: number; of: number }) => `${done} of ${of} deliveries succeeded`;

interface LinkProps {
  slot: 'answer' | 'work' | 'events' | 'deliveries';
  name: string;
  tone?: OutcomeTone;
  isGhost?: boolean;
  children: ReactNode;
}

function Link({ slot, name, tone, isGhost, children }: LinkProps) {
  const look = { 'data-tone': tone === 'plain' ? undefined : tone, 'data-ghost': isGhost ? '' : undefined };
  return (
    <span className="badge link fixed" data-slot={slot} {...look} title={name}>
      {children}
    </span>
  );
}

const BY_PATH: readonly (readonly [string, icons.LucideIcon])[] = [
  ['/chat', icons.MessageSquare],
  ['/images', icons.Image],
  ['/videos', icons.Clapperboard],
  ['/music', icons.Music],
  ['/audio', icons.AudioLines],
  ['/hooks', icons.Workflow],
  ['/account', icons.KeyRound],
];

function OrderThumb({ line, path }: { line?: OrderSummary | undefined; path: string }) {
  if (line?.thumbnail_url) {
    const { seconds, medium } = line.made ?? {};
    return (
      <span className="thumb centred soft" data-kind={medium} data-open={line.time.is_open ? '' : undefined}>
        <Picture url={line.thumbnail_url} />
        {seconds != null && medium === 'video' && <span className="length">{formatPlayTime(seconds)}</span>}
      </span>
    );
  }
  const Icon = iconOf(line, path);
  return (
    <span className="thumb centred toned" data-tone={Icon === icons.X ? 'bad' : undefined}>
      <Icon aria-hidden />
    </span>
  );
}

function iconOf(line: OrderSummary | undefined, path: string): icons.LucideIcon {
  if (line?.error?.code === 'insufficient_credits') return icons.Coins;
  if (line?.status.work?.tone === 'bad' && line.status.work.done === 0) return icons.X;
  if (line?.error) return icons.Ban;
  return BY_PATH.find(([part]) => path.includes(part))?.[1] ?? (path === '' ? icons.Workflow : icons.FileText);
}

const TOP_UP = 1000;

function WayOut({ line: { error, account, action } }: { line: OrderSummary }) {
  const isPoor = error?.code === 'insufficient_credits' && account.id !== null;
  const act = useActionMutation(
    (): Promise<object> =>
      isPoor
        ? callControl('topUpCredits', { id: account.id ?? '', amount: TOP_UP })
        : callControl('redeliver', { id: action.redeliver ?? '' }),
    () => showToast(isPoor ? 'Topped up by 1,000 credits' : 'Redelivered', undefined, 'good'),
  );
  if (!isPoor && action.redeliver === null) return null;
  return (
    <LiveOnly>
      <span className="fixed pre">
        {' · '}
        <button type="button" className="named bare" onClick={() => act.mutate(undefined, { onError: showErrorToast })}>
          {isPoor ? 'top up 1,000' : 'redeliver'}
        </button>
      </span>
    </LiveOnly>
  );
}

function ClickButtons({ id }: { id: string }) {
  const choose = (choice: 'approve' | 'reject') => callControl('clickRun', { id, choice });
  return (
    <span className="click-buttons row">
      <ActionButton text="Approve" icon={icons.Check} variant="primary" act={() => choose('approve')} />
      <ActionButton text="Reject" icon={icons.X} act={() => choose('reject')} />
    </span>
  );
}
