import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber } from '../pieces/credits.tsx';
import { exactTime } from '../pieces/relative-time.tsx';
import type { BalancePoints } from './balance-points.ts';
import { chartOptions } from './chart-options.ts';

/** Balance over time. A drag looks closer, a double click shows all again. */
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
    const forget = onThemeChange(() => plot.redraw(false));
    return () => {
      resized.disconnect();
      forget();
      plot.destroy();
    };
  }, []);
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

/** What a canvas shows keeps the colours that it was drawn in. */
function onThemeChange(redraw: () => void): () => void {
  const media = window.matchMedia('(prefers-color-scheme: dark)');
  const observer = new MutationObserver(redraw);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  media.addEventListener('change', redraw);
  return () => {
    observer.disconnect();
    media.removeEventListener('change', redraw);
  };
}
