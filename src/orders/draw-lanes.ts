import { type Bar, LANE_NAMES, type LaneKind, type Scale } from './timeline-event.ts';
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

/** How far two times on the axis are apart at least, and from where on a bar has its words left of it: shares of the whole. */
const APART = 0.085;
const LATE = 0.82;

const HIDDEN = { 'aria-hidden': true };

/** A lane for each party, its bars, what ties them, and the axis above; with the class names of `trail.css`. */
export function drawLanes<OwnBar extends Bar>({ lanes, scale }: Drawing<OwnBar>, look: LaneLook<OwnBar>): Drawn {
  const placed = (at: number) => placeOf(scale, look.scale, at);
  const cuts = scale.gaps.map(({ from, to }) => mark('hatched', spanOf(placed(from), placed(to))));
  const now = look.chosen && mark('lane-now', { left: percent(placed(look.chosen.at)) });
  return [
    'div',
    { className: 'lanes', ...look.attributes },
    axisOf(scale, placed, look.chosen?.at),
    ...lanes.map(({ kind, tracks }) => laneOf(kind, tracks, { look, placed })),
    ['div', { className: 'lane-marks', ...HIDDEN }, ...cuts, ...(now ? [now] : [])],
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
      ...bars.map((bar) => barOf(bar, look, placed)),
      ...(look.onTrack?.(track, end) ?? []),
    ];
  });
  const name: Drawn = ['span', { className: 'lane-name row fixed strong' }, ['lane-icon', { kind }], LANE_NAMES[kind]];
  const body: Drawn = ['div', { className: 'lane-tracks grow' }, ...rows];
  return ['div', { className: 'lane row stretch ruled', 'data-lane': kind }, name, body];
}

function barOf<OwnBar extends Bar>(bar: OwnBar, look: LaneLook<OwnBar>, placed: Placed): Drawn {
  const { step, from, to, look: kind, tone, text, note } = bar;
  const [left, right] = [placed(from), to === null ? 1 : placed(to)];
  const [tag, own] = look.bar;
  const marks = {
    'data-late': right > LATE ? '' : undefined,
    'data-chosen': step === look.chosen?.id ? '' : undefined,
  };
  return [
    tag,
    { ...own, 'data-step': step, 'data-look': kind, 'data-tone': tone, ...marks, style: spanOf(left, right) },
    ['span', { className: 'bar-fill' }, ['span', { className: 'bar-text' }, text]],
    ...(note === '' ? [] : [['span', { className: 'bar-note' }, note] as const]),
    ...(look.inBar?.(bar) ?? []),
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

/** The true times of the moments, as many as have room: the first, the chosen and the last always. */
function axisOf({ knots, gaps }: Scale, placed: Placed, now: number | undefined): Drawn {
  const end = knots.at(-1)?.at ?? 0;
  const always = [0, end, ...(now === undefined ? [] : [now])];
  const cuts = gaps.map(({ from, to, text }) => ({ text, position: (placed(from) + placed(to)) / 2 }));
  const taken = [...always.map(placed), ...cuts.map(({ position }) => position)];
  const others = knots.flatMap(({ at }) => {
    const position = placed(at);
    if (taken.some((other) => Math.abs(other - position) < APART)) return [];
    taken.push(position);
    return [at];
  });
  const isFar = (at: number) => at === now || now === undefined || Math.abs(placed(at) - placed(now)) >= APART;
  const shown = [...new Set([...always, ...others])].filter(isFar);
  const label = (text: string, position: number, marks: Record<string, unknown> = {}): Drawn => [
    'span',
    { ...marks, style: { left: percent(position) } },
    text,
  ];
  const ends = (at: number) => ({
    ...{ 'data-first': at === 0 ? '' : undefined, 'data-last': at === end && at > 0 ? '' : undefined },
    'data-now': at === now ? '' : undefined,
  });
  return [
    'div',
    { className: 'axis', ...HIDDEN },
    ...knots.map(({ at }) => mark('', { left: percent(placed(at)) })),
    ...shown.map((at) => label(offsetText(at), placed(at), ends(at))),
    ...cuts.map(({ text, position }) => label(text, position)),
  ];
}
