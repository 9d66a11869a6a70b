import type { Bar } from './bars.ts';
import { type Knot, offsetText, percent } from './scale.ts';

/** The place of the words next to a bar: right of it, left of it, or inside it at its end. */
type NoteSide = 'after' | 'before' | 'within';

/** A bar at its position, with the words that have room. Positions are shares of the whole axis. */
export interface PlacedBar {
  bar: Bar;
  from: number;
  to: number;
  text: string;
  note: string;
  side: NoteSide;
  /** Up to where its words may reach on either side. */
  room: { from: number; to: number };
}

/** From where on a bar has its words left of it. */
const LATE = 0.82;
/** How much room a letter takes, and the edges of a label, where the drawing is narrow. */
const LETTER = 6.3 / 660;
const EDGES = 12 / 660;

function widthOf(...lines: readonly string[]): number {
  return EDGES + LETTER * Math.max(...lines.map(({ length }) => length));
}

/** The bars of a track with their words, of which none overprint those of another or another bar. */
export function placedBars(bars: readonly Bar[], placed: (at: number) => number): PlacedBar[] {
  const all = bars.map((bar) => ({ bar, from: placed(bar.from), to: bar.to === null ? 1 : placed(bar.to) }));
  const isMoney = all.every(({ bar }) => bar.look === 'money');
  return isMoney ? mergedLabels(all) : all.map((each, at) => withRoom(each, all[at - 1], all[at + 1]));
}

type Span = Pick<PlacedBar, 'bar' | 'from' | 'to'>;

function withRoom(each: Span, before: Span | undefined, after: Span | undefined): PlacedBar {
  const { text, note } = each.bar;
  // Two notes that face each other share the gap.
  const [left, right] = [gapOf(before, each), gapOf(each, after)];
  const middle = (left.from + left.to) / 2;
  const from = before && !isLate(before) && before.bar.note !== '' ? middle : left.from;
  const to = after && isLate(after) && after.bar.note !== '' ? (right.from + right.to) / 2 : right.to;
  const isBeside = each.from - from >= widthOf(note);
  const side = isLate(each) ? (isBeside ? 'before' : 'within') : 'after';
  return { ...each, text, note, side, room: { from, to } };
}

function isLate({ to }: { to: number }): boolean {
  return to > LATE;
}

function gapOf(before: { to: number } | undefined, after: { from: number } | undefined) {
  return { from: before?.to ?? 0, to: after?.from ?? 1 };
}

/** Changes of the balance whose labels would meet have one, at the last of them: all amounts, and what was left. */
function mergedLabels(all: readonly Span[]): PlacedBar[] {
  const labels: PlacedBar[] = [];
  for (const each of all) {
    const { text, note } = each.bar;
    let label = sided({ ...each, text, note });
    // One that takes in another grows, and may meet the one before that.
    for (let at = lastShown(labels); at >= 0; at = lastShown(labels)) {
      const last = labels[at];
      if (!last || last.room.to <= label.room.from) break;
      labels[at] = { ...last, text: '', note: '' };
      label = sided({ ...label, text: [last.text, label.text].filter(Boolean).join(' ') });
    }
    labels.push(label);
  }
  return labels;
}

function lastShown(labels: readonly { text: string; note: string }[]): number {
  return labels.findLastIndex(({ text, note }) => text !== '' || note !== '');
}

function sided(label: Omit<PlacedBar, 'side' | 'room'>): PlacedBar {
  const width = widthOf(label.text, label.note);
  const isRight = label.to + width <= 1;
  const room = isRight ? { from: label.from, to: label.to + width } : { from: label.from - width, to: label.to };
  return { ...label, side: isRight ? 'after' : 'before', room };
}

/** The room of a time on the axis. */
const WIDTH = 0.1;

/** A time or a length on the axis, and the attributes that keep it within. */
interface AxisLabel {
  text: string;
  position: number;
  attributes: { style: { left: string } };
}

/** The true times of the moments, as many as have room: the first, the chosen and the last always; and what was cut out. */
export function axisLabels(
  knots: readonly Knot[],
  cuts: readonly { text: string; position: number }[],
  { placed, now }: { placed: (at: number) => number; now: number | undefined },
): AxisLabel[] {
  const end = knots.at(-1)?.at ?? 0;
  const times = [...(now === undefined ? [] : [now]), 0, end].map((at) => ({
    text: offsetText(at),
    position: placed(at),
  }));
  const others = knots.map(({ at }) => ({ text: offsetText(at), position: placed(at) }));
  const shown: { text: string; position: number }[] = [];
  for (const each of [...times, ...cuts, ...others]) {
    const { from, to } = roomOf(each);
    if (shown.map(roomOf).every((room) => room.to <= from || room.from >= to)) shown.push(each);
  }
  return shown.map((each) => ({
    ...each,
    attributes: {
      'data-first': isFirst(each) ? '' : undefined,
      'data-last': isLast(each) ? '' : undefined,
      'data-now': now !== undefined && each === times[0] ? '' : undefined,
      style: { left: percent(each.position) },
    },
  }));
}

function isFirst({ position }: { position: number }): boolean {
  return position < WIDTH / 2;
}

function isLast({ position }: { position: number }): boolean {
  return position > 1 - WIDTH / 2;
}

/** Around its position; next to it at either end of the axis. */
function roomOf(label: { position: number }): { from: number; to: number } {
  const { position } = label;
  if (isFirst(label)) return { from: position, to: position + WIDTH };
  if (isLast(label)) return { from: position - WIDTH, to: position };
  return { from: position - WIDTH / 2, to: position + WIDTH / 2 };
}
