import { LoaderCircle } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { lengthText } from '../../../orders/timeline-event.ts';
import { useKnownAccount } from '../data/chosen-account.ts';
import { exactClock, machineNow, useSecond } from '../data/emulator-clock.ts';
import { loadModule } from '../data/load-module.ts';
import type { OrderLine } from '../data/order-store.ts';
import { type Column, column } from '../pieces/columns.tsx';
import { accountName, shortId } from '../pieces/ids.tsx';
import { Marked } from '../pieces/search-terms.tsx';
import { formatNumber } from '../pieces/values.tsx';
import { ClickButtons, OrderChain, OrderThumb, WayOut } from './order-chain.tsx';
import type { OrderRow } from './order-row.ts';

/** Menus and forms, which are loaded when something is held. */
const HeldTools = lazy(() => loadModule(() => import('./held-tools.tsx')));

/** The columns of an order at a width; `words` are those that were searched for. */
export function orderColumns(words: readonly string[], isNarrow: boolean): readonly Column<OrderRow>[] {
  const account = column<OrderRow>('Account', '124px', (row) => <AccountCell row={row} />);
  return [
    column('Machine’s time', '96px', (row) => (
      <Two first={<time dateTime={new Date(row.began).toISOString()}>{exactClock(row.began)}</time>}>
        {row.took === undefined ? <Counting since={row.began} /> : lengthText(row.took)}
      </Two>
    )),
    column('Result', '32px', (row) => <OrderThumb {...row} />, { unseen: true }),
    column('Asked', 'minmax(0, 1fr)', (row) => (
      <Two first={<Asked row={row} words={words} />}>
        <SecondLine row={row} withAccount={isNarrow} />
      </Two>
    )),
    ...(isNarrow ? [] : [account]),
    column('Answer · work · events · deliveries', isNarrow ? '236px' : '260px', fateCell),
    column('Credits', '60px', ({ line }) => line && <CreditsCell line={line} />, { align: 'end' }),
  ];
}

/** An order on a phone: what was asked and its credits, what came of it, when and of whom. */
export function phoneOrder(words: readonly string[]) {
  return (row: OrderRow): ReactNode => (
    <>
      <span role="gridcell" className="order-thumb">
        <OrderThumb {...row} />
      </span>
      <span role="gridcell" className="cut">
        <Asked row={row} words={words} />
      </span>
      <span role="gridcell" className="order-credits">
        {row.line && <CreditsCell line={row.line} />}
      </span>
      <span role="gridcell" className="order-fate cut">
        {fateCell(row)}
      </span>
      <span role="gridcell" className="order-note soft small cut">
        {exactClock(row.began)} <SecondLine row={row} withAccount />
      </span>
    </>
  );
}

/** Two lines, in places that never move. */
function Two({
  first,
  tone,
  title,
  children,
}: {
  first: ReactNode;
  tone?: string;
  title?: string;
  children?: ReactNode;
}) {
  return (
    <span className="two">
      {first}
      <span className="second soft small toned" data-tone={tone} title={title}>
        {children}
      </span>
    </span>
  );
}

function Asked({ row, words }: { row: OrderRow; words: readonly string[] }) {
  return (
    <span className="strong" dir="auto">
      <Marked text={row.asked} words={words} />
    </span>
  );
}

/** What is under way counts on. */
function Counting({ since }: { since: number }) {
  useSecond();
  return `${lengthText(Math.max(0, machineNow() - since))} …`;
}

/** The error; else what was called. */
function SecondLine({ row: { line, called, accountId }, withAccount }: { row: OrderRow; withAccount: boolean }) {
  const message = line?.error?.message;
  const name = useAccountName(accountId);
  return (
    <span className="toned" data-tone={message ? 'bad' : undefined}>
      {withAccount && name && `${name} · `}
      {message || called}
    </span>
  );
}

function AccountCell({ row: { accountId, keyId } }: { row: OrderRow }) {
  const name = useAccountName(accountId);
  return (
    <Two first={<span>{name || 'nobody known'}</span>} title={keyId ?? ''}>
      {keyId ? shortId(keyId) : 'no key'}
    </Two>
  );
}

function useAccountName(id: string | null): string {
  const account = useKnownAccount(id);
  return account ? accountName(account) : id ? shortId(id) : '';
}

/** What came of it, and behind it the way out. */
function fateCell({ line, held, tone, status }: OrderRow): ReactNode {
  if (held) {
    return (
      <Suspense fallback={<span className="soft small">held</span>}>
        <HeldTools held={held} />
      </Suspense>
    );
  }
  if (!line) return tone === 'work' ? <UnderWay /> : <span className="soft small">{status}</span>;
  if (line.todo.run) return <ClickButtons id={line.todo.run} />;
  return (
    <Two first={<OrderChain line={line} />} {...(line.fate.tone === 'good' ? {} : { tone: line.fate.tone })}>
      <span className="cut">{line.fate.says}</span>
      <WayOut line={line} />
    </Two>
  );
}

function UnderWay() {
  return (
    <span className="badge link fixed" data-slot="answer" data-tone="work" role="img" aria-label="under way">
      <LoaderCircle className="spin" aria-hidden />
    </span>
  );
}

function CreditsCell({ line }: { line: OrderLine }) {
  const { charged, back } = line.fate.money;
  return (
    <Two first={<b>{formatNumber(charged)}</b>} tone="good">
      {back > 0 && (back === charged ? 'all back' : `${formatNumber(back)} back`)}
    </Two>
  );
}
