import { LoaderCircle } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useKnownAccount } from '../data/chosen-account.ts';
import { durationText, exactClock, machineNow, useSecond } from '../data/emulator-clock.ts';
import { loadPatiently } from '../data/load-patiently.ts';
import type { OrderLine } from '../data/order-store.ts';
import { type Column, column } from '../pieces/columns.tsx';
import { accountName, shortId } from '../pieces/ids.tsx';
import { Marked } from '../pieces/search-terms.tsx';
import { formatNumber } from '../pieces/values.tsx';
import { ClickButtons, OrderChain, OrderThumb, WayOut } from './order-chain.tsx';
import { askedText, beganOf, type OrderRow } from './order-row.ts';

/** Menus and forms, which are loaded when something is held. */
const HeldTools = lazy(() => loadPatiently(() => import('./held-tools.tsx')));

/** The columns of an order at a width; `words` are those that were searched for. */
export function orderColumns(words: readonly string[], isNarrow: boolean): readonly Column<OrderRow>[] {
  const columns: readonly Column<OrderRow>[] = [
    column('Machine’s time', '96px', (row) => <TimeCell row={row} />),
    column(
      'Result',
      '32px',
      ({ line, request }) => <OrderThumb line={line} path={line?.call.path ?? request?.path ?? ''} />,
      { unseen: true },
    ),
    column('Asked', 'minmax(0, 1fr)', (row) => <AskedCell row={row} words={words} withAccount={isNarrow} />),
    column('Account', '108px', (row) => <AccountCell row={row} />),
    column('Answer · work · events · deliveries', isNarrow ? '236px' : '260px', fateCell),
    column('Credits', '60px', ({ line }) => <CreditsCell line={line} />, { align: 'end' }),
  ];
  return isNarrow ? columns.filter(({ title }) => title !== 'Account') : columns;
}

/** An order on a phone: what was asked and its credits, what came of it, when and of whom. */
export function phoneOrder(words: readonly string[]) {
  return (row: OrderRow): ReactNode => (
    <>
      <span role="gridcell" className="order-thumb">
        <OrderThumb line={row.line} path={row.line?.call.path ?? row.request?.path ?? ''} />
      </span>
      <span role="gridcell" className="order-asked strong cut" dir="auto">
        <Marked text={askedText(row)} words={words} />
      </span>
      <span role="gridcell" className="order-credits">
        <CreditsCell line={row.line} />
      </span>
      <span role="gridcell" className="order-fate cut">
        {fateCell(row)}
      </span>
      <span role="gridcell" className="order-note cut">
        {exactClock(beganOf(row))} <SecondLine row={row} withAccount />
      </span>
    </>
  );
}

function TimeCell({ row }: { row: OrderRow }) {
  const began = beganOf(row);
  return (
    <span className="two">
      <time dateTime={new Date(began).toISOString()}>{exactClock(began)}</time>
      <span className="second">
        {row.held || row.open ? (
          <Counting since={began} />
        ) : row.line ? (
          <Took line={row.line} />
        ) : (
          durationText(row.request?.duration_ms ?? 0)
        )}
      </span>
    </span>
  );
}

/** What is under way counts on. */
function Took({ line }: { line: OrderLine }) {
  const { began, took, is_open } = line.time;
  return is_open ? <Counting since={began} /> : durationText(took);
}

function Counting({ since }: { since: number }) {
  useSecond();
  return `${durationText(Math.max(0, machineNow() - since))} …`;
}

function AskedCell({ row, words, withAccount }: { row: OrderRow; words: readonly string[]; withAccount: boolean }) {
  return (
    <span className="two">
      <span className="strong" dir="auto">
        <Marked text={askedText(row)} words={words} />
      </span>
      <span className="second">
        <SecondLine row={row} withAccount={withAccount} />
      </span>
    </span>
  );
}

/** The error and the way out of it; else what was called. */
function SecondLine({ row, withAccount }: { row: OrderRow; withAccount: boolean }) {
  const { line } = row;
  const message = line?.error?.message;
  return (
    <>
      <span className="order-said cut toned" data-tone={message ? 'bad' : undefined}>
        {withAccount && <OwnerFirst row={row} />}
        {message || calledText(row)}
      </span>
      {line && <WayOut line={line} />}
    </>
  );
}

/** Where the column of accounts gives way. */
function OwnerFirst({ row }: { row: OrderRow }) {
  const name = useAccountName(accountOf(row));
  return name && `${name} · `;
}

/** Model, polls, call, and what stood out. */
function calledText({ line, request, held, open, times, polls }: OrderRow): string {
  if (held) return `held: the ${held.at}`;
  if (open) return 'not answered yet';
  const parts = line ? [...askedParts(line, polls), line.call.fault ? 'fault struck' : ''] : [request?.operation ?? ''];
  return [...parts, times > 1 ? `asked ${formatNumber(times)} times` : '', ...oddParts(request)]
    .filter(Boolean)
    .join(' · ');
}

function askedParts({ asked, call }: OrderLine, polls: number): string[] {
  const { model, what, words } = asked;
  const reads = Math.max(polls, asked.reads);
  const polled = reads === 0 ? '' : `polled ${reads === 1 ? 'once' : `${formatNumber(reads)} times`}`;
  const called = words ? `${call.method} ${call.path.split('?')[0]}` : (call.operation ?? '');
  return [model ?? '', polled, call.method === '' ? 'flow run' : called, what];
}

function oddParts(request: OrderRow['request']): string[] {
  if (!request) return [];
  const { warnings, dropped, retry_count } = request;
  return [
    warnings ? `ignored ${warnings}` : '',
    dropped ? `dropped ${dropped}` : '',
    retry_count > 0 ? `retry ${retry_count}` : '',
  ];
}

function AccountCell({ row }: { row: OrderRow }) {
  const { line, request } = row;
  const name = useAccountName(accountOf(row));
  const key = line?.whose.key_id ?? request?.key_id;
  return (
    <span className="two">
      <span>{name || 'nobody known'}</span>
      <span className="second" title={key ?? undefined}>
        {key ? shortId(key) : 'no key'}
      </span>
    </span>
  );
}

function accountOf({ line, request, held, open }: OrderRow): string | null {
  return line?.whose.account_id ?? (request ?? held ?? open)?.account_id ?? null;
}

function useAccountName(id: string | null): string {
  const account = useKnownAccount(id);
  return account ? accountName(account) : id ? shortId(id) : '';
}

function fateCell({ line, request, held, open }: OrderRow): ReactNode {
  if (held) {
    return (
      <Suspense fallback={<span className="second">held</span>}>
        <HeldTools held={held} />
      </Suspense>
    );
  }
  if (open) return <UnderWay />;
  if (!line) return <span className="second">{request?.status}</span>;
  const { says, tone } = line.fate;
  if (line.todo.run) {
    return (
      <span className="two">
        <ClickButtons id={line.todo.run} />
      </span>
    );
  }
  return (
    <span className="two">
      <OrderChain line={line} />
      <span className="second" data-tone={tone === 'good' ? undefined : tone}>
        {says}
      </span>
    </span>
  );
}

function UnderWay() {
  return (
    <span className="link soft fixed" data-slot="answer" data-tone="work" role="img" aria-label="under way">
      <LoaderCircle className="spin" aria-hidden />
    </span>
  );
}

function CreditsCell({ line }: { line: OrderLine | undefined }) {
  if (!line) return null;
  const { charged, back } = line.fate.money;
  return (
    <span className="two">
      <b>{formatNumber(charged)}</b>
      {back > 0 && (
        <span className="second" data-tone="good">
          {back === charged ? 'all back' : `${formatNumber(back)} back`}
        </span>
      )}
    </span>
  );
}
