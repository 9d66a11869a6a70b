import uPlot from 'uplot';
import { formatNumber } from '../pieces/credits.tsx';

const DAY = 86_400;
const DAY_TEXT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const HOUR_TEXT = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const SECOND_TEXT = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

const FONT = '11px "Inter Variable", system-ui, sans-serif';

/** Room above and below the line, as a share of its height. */
const ROOM = 0.12;

/**
 * How the balance is drawn. A canvas knows no custom properties: it takes the colours that the style sheet gives the
 * element, those of the line, its ground, the grid and the texts. `onPoint` hears at which point the cursor is.
 */
export function chartOptions(element: HTMLElement, onPoint: (index: number | undefined) => void): uPlot.Options {
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
    padding: [8, 16, 0, 0],
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

/** Steps of days say the day, smaller ones the time, and midnight its day. */
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
