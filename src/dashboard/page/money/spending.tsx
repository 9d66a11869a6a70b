import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { AllSpendingRecord, BalanceRecord, SpendingRecord } from '../../../control/ledger.ts';
import { chooseAccount, useSecond } from '../data/account-and-clock.ts';
import { theme, useMedia, useStore } from '../data/browser.ts';
import { callControl, withParams } from '../data/call-api.ts';
import { useRecord } from '../data/queries.ts';
import { ErrorNotice, Figure, Figures } from '../pieces/page-parts.tsx';
import { Credits, counted, exactTime, formatNumber, shortId } from '../pieces/values.tsx';

/** How often totals are reloaded, in milliseconds; charges are far more frequent. */
const AGAIN = 2000;

/** What an account spent since a time (ISO 8601). It is not reloaded with each charge, because it sums up to a million entries. */
export function useSpending(id: string, since: string | undefined) {
  return useQuery({
    queryKey: ['spending', id, since ?? 'all'],
    queryFn: () => callControl<SpendingRecord>('GET', withParams(`/accounts/${id}/usage/summary`, { since })),
    placeholderData: keepPreviousData,
    refetchInterval: AGAIN,
  });
}

export const RANGE = {
  name: 'range',
  label: 'Time',
  options: { day: '24 hours', month: '30 days', all: 'All' },
  usual: 'all',
};

const LENGTHS: Record<string, number> = { day: 86_400, month: 30 * 86_400 };
const MINUTE = 60;

/** Unix seconds at which a range begins, by the emulator's clock and to the minute; undefined for all of time. */
export function useSince(range: string | undefined): number | undefined {
  const now = useSecond();
  const length = LENGTHS[range ?? ''];
  if (length === undefined) return undefined;
  return Math.floor(now / MINUTE) * MINUTE - length;
}

export function isoOf(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}

/** The spending of all accounts, by account, model and day. A click filters every page by an account. */
export function AllMoney({ range }: { range: string | undefined }) {
  const params = { since: isoOf(useSince(range)) };
  const { data, error } = useRecord<AllSpendingRecord>('/spending', { params, again: AGAIN });
  const total = data?.total;
  return (
    <>
      <Figures>
        <Figure name="Charged">{total ? <Credits amount={total.charged} /> : '–'}</Figure>
        <Figure name="Refunded" note={total && `${formatNumber(total.refunds)} of ${counted(total.charges, 'charge')}`}>
          {total ? <Credits amount={total.refunded} /> : '–'}
        </Figure>
        <Figure name="Spent" note={total && `by ${counted(total.accounts, 'account')}`}>
          {total ? <Credits amount={total.credits} /> : '–'}
        </Figure>
      </Figures>
      <ErrorNotice error={error} />
      <div className="panels fill">
        {PARTS.map(({ of, rowsOf }) => (
          <SpendingBars
            key={of}
            title={`By ${of}`}
            label={`Spending by ${of}`}
            total={total?.credits}
            rows={data ? rowsOf(data) : []}
          />
        ))}
      </div>
    </>
  );
}

const PARTS: readonly { of: string; rowsOf: (spent: AllSpendingRecord) => SpendingBarsProps['rows'] }[] = [
  { of: 'account', rowsOf: ({ accounts: whose }) => whose.map(spentBy) },
  { of: 'model', rowsOf: ({ models }) => models.map(spentOnWork) },
  { of: 'day', rowsOf: ({ days }) => days.map((each) => ({ ...each, key: each.day, name: each.day })) },
];

function spentBy(sums: AllSpendingRecord['accounts'][number]) {
  const { account_id: id, name } = sums;
  const choose = (
    <button type="button" className="named bare" onClick={() => chooseAccount(id)}>
      {name ?? shortId(id)}
    </button>
  );
  return { ...sums, key: id, name: choose };
}

interface SpendingBarsProps {
  title: string;
  label: string;
  rows: readonly { key: string; name: ReactNode; charges: number; refunds: number; credits: number }[];
  total: number | undefined;
}

export function SpendingBars({ title, label, rows, total }: SpendingBarsProps) {
  const most = Math.max(1, ...rows.map(({ credits }) => credits));
  return (
    <section className="spending column" aria-label={label}>
      <div className="row padded">
        <h2>{title}</h2>
        <span className="grow" />
        {total !== undefined && <Credits amount={total} unit />}
      </div>
      {total !== undefined && rows.length === 0 && <p className="soft padded">No spending in this period.</p>}
      <ul className="padded fill scrolls" tabIndex={0} aria-label={`${label}, row by row`}>
        {rows.map(({ key, name, charges, refunds, credits }) => (
          <li key={key} className="spending-row">
            <span className="cut">{name}</span>
            <span className="soft small">
              {counted(charges, 'charge')}
              {refunds > 0 && `, ${formatNumber(refunds)} refunded`}
            </span>
            <Credits amount={credits} />
            <span className="spending-bar" style={{ width: `${(100 * credits) / most}%` }} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function spentOnWork<Sums extends { operation: string; model: string | null }>(sums: Sums) {
  const { operation, model } = sums;
  const name = (
    <>
      {operation} <span className="soft">{model}</span>
    </>
  );
  return { ...sums, key: `${operation} ${model}`, name };
}

/** Balance over time. Dragging zooms in, a double click zooms out. */
export function BalanceChart({ points }: { points: BalancePoints }) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const [at, setAt] = useState<number>();
  const [times, balances] = points;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const plot = new uPlot(chartOptions(element, setAt), [[], []], element);
    chart.current = plot;
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, []);
  // A canvas keeps its colours until it is drawn again.
  const look = `${useStore(theme)} ${useMedia('(prefers-color-scheme: dark)')}`;
  useEffect(() => void (look && chart.current?.redraw(false)), [look]);
  useEffect(() => chart.current?.setData(points), [points]);
  const shown = at ?? times.length - 1;
  const time = times[shown];
  const range = `${formatNumber(Math.min(...balances))} to ${formatNumber(Math.max(...balances))}`;
  return (
    <figure className="balance-figure column">
      <figcaption className="row padded">
        <h2>Balance</h2>
        <span className="grow" />
        <span className="soft">
          {time !== undefined &&
            (at === undefined ? range : `${formatNumber(balances[shown] ?? 0)} · ${exactTime(time)}`)}
        </span>
      </figcaption>
      <div ref={box} className="balance-chart fill" role="img" aria-label={describe(points)} />
    </figure>
  );
}

function describe([times, balances]: BalancePoints): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return 'No balance yet';
  const ends = `${formatNumber(balances[0] ?? 0)} to ${formatNumber(balances.at(-1) ?? 0)}`;
  return `Balance from ${exactTime(first)} to ${exactTime(last)}: ${ends} credits`;
}

/** Times (unix seconds, ascending) and balances, in the shape of uPlot. */
type BalancePoints = [number[], number[]];

/** From the start of the range to now; of several entries in one second only the last balance. */
export function balancePoints(
  { start, data }: BalanceRecord,
  { since, now }: { since: number | undefined; now: number },
): BalancePoints {
  const times = since === undefined ? [] : [since];
  const balances = since === undefined ? [] : [start];
  const add = (time: number, balance: number) => {
    const last = times.at(-1) ?? Number.NEGATIVE_INFINITY;
    // The clock may have been moved back.
    if (time > last) times.push(time);
    const at = times.length - 1;
    balances[at] = balance;
  };
  for (const { created, balance } of data) add(created, balance);
  add(now, balances.at(-1) ?? start);
  return [times, balances];
}

const DAY = 86_400;
const DAY_TEXT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const HOUR_TEXT = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const SECOND_TEXT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const FONT = '11px "Inter Variable", system-ui, sans-serif';

/** Padding above and below the line, as a share of its height. */
const ROOM = 0.12;

/**
 * How the balance is drawn. A canvas knows no custom properties: it takes the colours that the style sheet gives the
 * element, those of the line, its ground, the grid and the texts. `onPoint` hears at which point the cursor is.
 */
function chartOptions(element: HTMLElement, onPoint: (index: number | undefined) => void): uPlot.Options {
  const colours = () => getComputedStyle(element);
  const axis: uPlot.Axis = {
    font: FONT,
    stroke: () => colours().caretColor,
    grid: { stroke: () => colours().borderTopColor, width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    scales: { y: { range: (_plot, low, high) => withRoom(low, high) } },
    axes: [
      { ...axis, grid: { show: false }, size: 28, space: 72, values: timeTexts },
      {
        ...axis,
        size: 64,
        space: 32,
        values: (_plot, values) => values.map((each) => (Number.isInteger(each) ? formatNumber(each) : '')),
      },
    ],
    series: [
      {},
      {
        stroke: () => colours().color,
        // An area over an axis that is cut would show shares that are not there.
        fill: ({ scales }) => (scales.y?.min === 0 ? colours().outlineColor : 'transparent'),
        width: 1.5,
        paths: uPlot.paths.stepped?.({ align: 1 }),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

/** From 0, unless the balance moves in the upper half only: there its changes would be too small to see. */
function withRoom(low: number | null, high: number | null): [number, number] {
  const [least, to] = [low ?? 0, high ?? 0];
  const from = least * 2 < to ? 0 : least;
  const room = Math.max((to - from) * ROOM, 1);
  return [Math.max(0, from === 0 ? 0 : from - room), to + room];
}

/** Labels of days show the date, smaller steps the time, and midnight its date. */
function timeTexts(...[, times, , , step]: [uPlot, number[], number, number, number]) {
  return times.map((time) => {
    const hour = HOUR_TEXT.format(time * 1000);
    if (step >= DAY || hour === '00:00') return DAY_TEXT.format(time * 1000);
    return step >= 60 ? hour : SECOND_TEXT.format(time * 1000);
  });
}
