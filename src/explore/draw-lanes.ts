import { xmlText } from '../report-card/xml-text.ts';
import { LANE_NAMES } from '../trail/trail-mark.ts';
import { offsetText, percent, placeOf } from '../trail/trail-place.ts';
import type { Drawing, SignedBar } from './run-drawing.ts';

/** How far two times on the axis are apart at least, and from where on a bar has its words left of it: shares of the whole. */
const APART = 0.09;
const LATE = 0.8;

/** A drawing in the marks of the dashboard's trail: the same lanes, bars and classes, without what can be clicked. */
export function drawLanes(drawing: Drawing): string {
  const placed = (at: number) => placeOf(drawing.scale, 'even', at);
  const lanes = drawing.lanes.map(({ kind, tracks }) => {
    const rows = tracks.map(({ label, bars }) => {
      const name = label === '' ? '' : `<span class="track-name cut soft">${xmlText(label)}</span>`;
      return `<div class="track">${name}${bars.map((bar) => drawBar(bar, placed)).join('')}</div>`;
    });
    return `<div class="lane" data-lane="${kind}"><span class="lane-name">${LANE_NAMES[kind]}</span><div class="lane-tracks grow">${rows.join('')}</div></div>`;
  });
  return `<div class="lanes" role="img" aria-label="The failing run on one axis of time; the list below says the same">${axis(drawing, placed)}${lanes.join('')}</div>`;
}

function axis({ scale: { knots } }: Drawing, placed: (at: number) => number): string {
  const end = knots.at(-1)?.at ?? 0;
  const shown = [0, end];
  for (const { at, even } of knots) {
    if (shown.every((other) => Math.abs(placed(other) - even) >= APART)) shown.push(at);
  }
  const labels = [...new Set(shown)].map((at) => {
    const place = at === 0 ? ' data-first' : at === end ? ' data-last' : '';
    return `<span${place} style="left:${percent(placed(at))}">${at === 0 ? '+0' : offsetText(at)}</span>`;
  });
  return `<div class="axis">${labels.join('')}</div>`;
}

function drawBar({ from, to, look, tone, text, note, sign }: SignedBar, placed: (at: number) => number): string {
  const left = placed(from);
  const width = to === null ? 1 - left : placed(to) - left;
  const late = left + width > LATE ? ' data-late' : '';
  const words = note === '' ? '' : `<span class="bar-note">${xmlText(note)}</span>`;
  return [
    `<span class="bar" data-look="${look}" data-tone="${tone}"${late} style="left:${percent(left)};width:${percent(width)}">`,
    `<span class="bar-fill"><span class="bar-text">${xmlText(text)}</span></span>${words}`,
    sign === undefined ? '' : `<span class="sign">${sign}</span>`,
    '</span>',
  ].join('');
}
