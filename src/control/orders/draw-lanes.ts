import { type Bar, type Knot, LANE_NAMES, type LaneKind, type Scale } from './timeline-event.ts';
import { offsetText, percent, placeOf, type ScaleName } from './timeline-scale.ts';

/** A text, or an element with its attributes and what is inside. */
export type Drawn = string | readonly [tag: string, attributes: Record<string, unknown> | null, ...inside: Drawn[]];

/** Bars on tracks in lanes, on one axis of time. */
export interface Drawing<OwnBar extends Bar = Bar> {
  lanes: readonly { kind: LaneKind; tracks: readonly Track<OwnBar>[] }[];
  scale: Scale;
}

interface Track<OwnBar> {
  id: string;
  label: string;
  bars: readonly OwnBar[];
}

/** How a drawing is shown, and what the page or report adds. */
interface LaneLook<OwnBar> {
  scale: ScaleName;
  attributes: Record<string, unknown>;
  /** The step that is chosen, and when it was. */
  chosen?: { id: string; at: number } | undefined;
  /** The tag of a bar, and its attributes beside its position. */
  bar: readonly [tag: string, attributes: Record<string, unknown>];
  inBar?: (bar: OwnBar) => readonly Drawn[];
  onTrack?: (track: Track<OwnBar>, end: number) => readonly Drawn[];
}

const HIDDEN = { 'aria-hidden': true };

/** A lane for each party, its bars, what ties them, and the axis above; with the class names of `timeline.css`. */
export function drawLanes<OwnBar extends Bar>({ lanes, scale }: Drawing<OwnBar>, look: LaneLook<OwnBar>): Drawn {
  const placed = (at: number) => placeOf(scale, look.scale, at);
  const cut = ({ from, to }: { from: number; to: number }) => spanOf(placed(from), placed(to));
  const now = look.chosen && mark('lane-now', { left: percent(placed(look.chosen.at)) });
  return [
    'div',
    { className: 'lanes', ...look.attributes },
    axisOf(scale, placed, look.chosen?.at),
    ...lanes.map(({ kind, tracks }) => laneOf(kind, tracks, { look, placed })),
    [
      'div',
      { className: 'lane-marks', ...HIDDEN },
      ...scale.gaps.map((gap) => mark('hatched', cut(gap))),
      ...(now ? [now] : []),
    ],
  ];
}

type Placed = (at: number) => number;

function laneOf<OwnBar extends Bar>(
  kind: LaneKind,
  tracks: readonly Track<OwnBar>[],
  { look, placed }: { look: LaneLook<OwnBar>; placed: Placed },
): Drawn {
  const rows = tracks.map((track): Drawn => {
    const { label, bars } = track;
    const end = placed(Math.max(0, ...bars.map(({ from, to }) => to ?? from)));
    return [
      'div',
      { className: 'track' },
      ...(label === '' ? [] : [['span', { className: 'track-name cut soft' }, label] as const]),
      ...(kind === 'money' ? balanceLine(bars, placed) : []),
      ...(kind === 'deliveries' ? ties(bars, placed) : []),
      ...placedBars(bars, placed).flatMap((each) => barOf(each, look)),
      ...(look.onTrack?.(track, end) ?? []),
    ];
  });
  const name: Drawn = ['span', { className: 'lane-name row fixed strong' }, ['lane-icon', { kind }], LANE_NAMES[kind]];
  return [
    'div',
    { className: 'lane row stretch ruled', 'data-lane': kind },
    name,
    ['div', { className: 'lane-tracks grow' }, ...rows],
  ];
}

/** A bar, and beside it its note; what fits into neither is in its title. */
function barOf<OwnBar extends Bar>(placed: PlacedBar<OwnBar>, look: LaneLook<OwnBar>): Drawn[] {
  const { bar, from, to, text, note, side, room } = placed;
  const [tag, own] = look.bar;
  const data = { 'data-step': bar.step, 'data-look': bar.look, 'data-tone': bar.tone, 'data-side': side };
  const style = {
    '--from': percent(from),
    '--to': percent(to),
    '--before': percent(room.from),
    '--next': percent(room.to),
  };
  const noted: Drawn[] = note === '' ? [] : [['span', { className: 'bar-note', ...data, style }, note]];
  const isWithin = side === 'within';
  const chosen = bar.step === look.chosen?.id ? '' : undefined;
  const title = [bar.text, bar.note].filter(Boolean).join(' · ');
  return [
    [
      tag,
      { ...own, ...data, 'data-chosen': chosen, title, style },
      ['span', { className: 'bar-fill' }, ['span', { className: 'bar-text' }, text], ...(isWithin ? noted : [])],
      ...(look.inBar?.(bar) ?? []),
    ],
    ...(isWithin ? [] : noted),
  ];
}

function spanOf(left: number, right: number): Record<string, string> {
  return { left: percent(left), width: percent(right - left) };
}

function mark(className: string, style: Record<string, string>): Drawn {
  return ['i', { className, style, ...HIDDEN }];
}

/** The balance as a line of steps, from before the first change to the end. */
function balanceLine(bars: readonly Bar[], placed: Placed): Drawn[] {
  const changes = bars.flatMap(({ from, balance }) => (balance ? [{ from, ...balance }] : []));
  const all = changes.flatMap(({ before, after }) => [before, after]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const parts = changes.length === 0 ? [] : [{ from: 0, after: changes[0]?.before ?? 0 }, ...changes];
  return parts.map(({ from, after }, at) => {
    const span = spanOf(placed(from), placed(parts[at + 1]?.from ?? Number.POSITIVE_INFINITY));
    const height = (after - low) / Math.max(1, high - low);
    return mark('balance-line', { ...span, bottom: `${4 + Math.round(height * 34)}px` });
  });
}

/** From a try to the one that was made again of it. */
function ties(bars: readonly Bar[], placed: Placed): Drawn[] {
  return bars.slice(1).map(({ from }, at) => {
    const before = bars[at];
    return mark('lane-tie', spanOf(placed(before?.to ?? before?.from ?? 0), placed(from)));
  });
}

function axisOf({ knots, gaps }: Scale, placed: Placed, now: number | undefined): Drawn {
  const cuts = gaps.map(({ from, to, text }) => ({ text, position: (placed(from) + placed(to)) / 2 }));
  return [
    'div',
    { className: 'axis', ...HIDDEN },
    ...knots.map(({ at }) => mark('', { left: percent(placed(at)) })),
    ...axisLabels(knots, cuts, { placed, now }).map(({ text, attributes }): Drawn => ['span', attributes, text]),
  ];
}

/** Where the words beside a bar are: right of it, left of it, or at its end inside. */
type NoteSide = 'after' | 'before' | 'within';

/** A bar at its position, with the words that have room. Positions are shares of the whole axis. */
interface PlacedBar<OwnBar extends Bar> {
  bar: OwnBar;
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
export function placedBars<OwnBar extends Bar>(
  bars: readonly OwnBar[],
  placed: (at: number) => number,
): PlacedBar<OwnBar>[] {
  const all = bars.map((bar) => ({ bar, from: placed(bar.from), to: bar.to === null ? 1 : placed(bar.to) }));
  const isMoney = all.every(({ bar }) => bar.look === 'money');
  return isMoney ? mergedLabels(all) : all.map((each, at) => withRoom(each, all[at - 1], all[at + 1]));
}

type Span<OwnBar extends Bar> = Pick<PlacedBar<OwnBar>, 'bar' | 'from' | 'to'>;

function withRoom<OwnBar extends Bar>(
  each: Span<OwnBar>,
  before: Span<OwnBar> | undefined,
  after: Span<OwnBar> | undefined,
): PlacedBar<OwnBar> {
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
function mergedLabels<OwnBar extends Bar>(all: readonly Span<OwnBar>[]): PlacedBar<OwnBar>[] {
  const labels: PlacedBar<OwnBar>[] = [];
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

function sided<OwnBar extends Bar>(label: Omit<PlacedBar<OwnBar>, 'side' | 'room'>): PlacedBar<OwnBar> {
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
  attributes: Record<string, unknown>;
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

/** Around its position; at either end of the axis beside it. */
function roomOf(label: { position: number }): { from: number; to: number } {
  const { position } = label;
  if (isFirst(label)) return { from: position, to: position + WIDTH };
  if (isLast(label)) return { from: position - WIDTH, to: position };
  return { from: position - WIDTH / 2, to: position + WIDTH / 2 };
}
