import { axisLabels, type PlacedBar, placedBars } from './lane-labels.ts';
import { type Bar, LANE_NAMES, type LaneKind, type Scale } from './timeline-event.ts';
import { percent, placeOf, type ScaleName } from './timeline-scale.ts';

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

/** A lane for each party, its bars, what ties them, and the axis above; with the class names of `trail.css`. */
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
  const marks = { 'data-step': bar.step, 'data-look': bar.look, 'data-tone': bar.tone, 'data-side': side };
  const style = {
    '--from': percent(from),
    '--to': percent(to),
    '--before': percent(room.from),
    '--next': percent(room.to),
  };
  const noted: Drawn[] = note === '' ? [] : [['span', { className: 'bar-note', ...marks, style }, note]];
  const isWithin = side === 'within';
  const chosen = bar.step === look.chosen?.id ? '' : undefined;
  const title = [bar.text, bar.note].filter(Boolean).join(' · ');
  return [
    [
      tag,
      { ...own, ...marks, 'data-chosen': chosen, title, style },
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
