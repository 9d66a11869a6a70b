import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { BalanceRecord } from '../../../control/ledger.ts';
import { theme, useStore } from '../data/page-store.ts';
import { useMedia } from '../pieces/browser-hooks.ts';
import { exactTime, formatNumber } from '../pieces/values.tsx';

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
    const resized = new ResizeObserver(() => plot.setSize(sizeOf(element)));
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
  return (
    <figure className="balance-figure column">
      <figcaption className="row padded">
        <h2>Balance</h2>
        <span className="grow" />
        <span className="soft">
          {time !== undefined &&
            (at === undefined ? rangeText(balances) : `${formatNumber(balances[shown] ?? 0)} · ${exactTime(time)}`)}
        </span>
      </figcaption>
      <div ref={box} className="balance-chart fill" role="img" aria-label={describe(points)} />
    </figure>
  );
}

function rangeText(balances: readonly number[]): string {
  return `${formatNumber(Math.min(...balances))} to ${formatNumber(Math.max(...balances))}`;
}

function describe([times, balances]: BalancePoints): string {
  const [first, last] = [times[0], times.at(-1)];
  if (first === undefined || last === undefined) return 'No balance yet';
  const ends = `${formatNumber(balances[0] ?? 0)} to ${formatNumber(balances.at(-1) ?? 0)}`;
  return `Balance from ${exactTime(first)} to ${exactTime(last)}: ${ends} credits`;
}

function sizeOf({ clientWidth, clientHeight }: HTMLElement) {
  return { width: clientWidth, height: clientHeight };
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
      { ...axis, size: 64, space: 32, values: (_plot, values) => values.map(wholeText) },
    ],
    series: [
      {},
      {
        stroke: () => colours().color,
        fill: () => colours().outlineColor,
        width: 1.5,
        paths: uPlot.paths.stepped?.({ align: 1 }),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
}

function withRoom(low: number | null, high: number | null): [number, number] {
  const [from, to] = [low ?? 0, high ?? 0];
  const room = Math.max((to - from) * ROOM, 1);
  return [Math.max(0, from - room), to + room];
}

/** Labels of days show the date, smaller steps the time, and midnight its date. */
function timeTexts(...[, times, , , step]: [uPlot, number[], number, number, number]) {
  return times.map((time) => {
    const hour = HOUR_TEXT.format(time * 1000);
    if (step >= DAY || hour === '00:00') return DAY_TEXT.format(time * 1000);
    return step >= 60 ? hour : SECOND_TEXT.format(time * 1000);
  });
}

function wholeText(value: number): string {
  return Number.isInteger(value) ? formatNumber(value) : '';
}
