import { durationText, type TimelineEntry, type TimelineEntryKind } from '../../../control/orders/timeline-entry.ts';
import { formatTimeOffset, type ScalePoint } from './scale.ts';

/** Times are milliseconds after the order began; `to` is null for an open bar. */
export interface TimelineBar {
  step: string;
  from: number;
  to: number | null;
  look: 'call' | 'queued' | 'rendering' | 'delivery' | 'tick' | 'mark' | 'money';
  tone: TimelineEntry['tone'];
  text: string;
  note: string;
  balance?: { before: number; after: number };
}

type Own = Partial<Omit<TimelineBar, 'step' | 'look'>>;

export function buildEntryBars(step: TimelineEntry, all: readonly TimelineEntry[], now: number): TimelineBar[] {
  const { id, at, tone, kind } = step;
  const [look, draw] = DRAWN[kind] ?? ['mark', () => [{}]];
  const own = draw(step, all).map(
    (bar): TimelineBar => ({ step: id, from: at, to: at, look, tone, text: '', note: '', ...bar }),
  );
  const isOpen = kind === 'started' && all.every((other) => other.id !== step.refs[0]);
  if (!isOpen) return own;
  const text = `rendering ${durationText(now - at)}`;
  return [...own, { step: id, from: at, to: null, look: 'rendering', tone: 'work', text, note: '' }];
}

type Draw = (step: TimelineEntry, all: readonly TimelineEntry[]) => Own[];

const DRAWN: Partial<Record<TimelineEntryKind, readonly [look: TimelineBar['look'], draw: Draw]>> = {
  received: ['call', receivedBars],
  returned: ['call', ({ at, took, data }) => [{ from: at - (took ?? 0), note: returnedNote(data) }]],
  charged: ['money', ({ data }) => [moneyBar(data)]],
  refunded: ['money', ({ data }) => [moneyBar(data)]],
  queued: ['queued', ({ took }) => [{ to: null, tone: 'plain', text: durationText(took ?? 0) }]],
  started: [
    'queued',
    ({ at, took }) => [{ from: at - (took ?? 0), tone: 'plain', text: took ? durationText(took) : '' }],
  ],
  failed: ['rendering', renderedBars],
  succeeded: ['rendering', renderedBars],
  delivered: ['delivery', (step) => [deliveryBar(step)]],
  published: ['tick', () => [{ note: 'no subscriber' }]],
  read: ['tick', readBars],
  clock: ['mark', ({ text }) => [{ note: text.replace('Clock ', '') }]],
  note: ['mark', ({ text }) => [{ note: text.replace('Note: ', '') }]],
  run: ['mark', ({ text }) => [{ note: text }]],
};

function receivedBars({ at, took, data }: TimelineEntry, all: readonly TimelineEntry[]): Own[] {
  const length = took ?? 0;
  const isBad = all.some(
    ({ kind, data: { status } }) => kind === 'returned' && (status === 0 || Number(status) >= 400),
  );
  return [{ to: at + length, tone: isBad ? 'bad' : 'work', text: `${data.method} · ${durationText(length)}` }];
}

function returnedNote({ status, error }: TimelineEntry['data']): string {
  return [status || 'reset', error?.code].filter(Boolean).join(' ');
}

function renderedBars({ at, took, data }: TimelineEntry): Own[] {
  const length = took ?? 0;
  return [{ from: at - length, text: `rendering ${durationText(length)}`, note: data.error?.code ?? '' }];
}

function moneyBar({ amount = 0, balance }: TimelineEntry['data']): Own {
  const n = Math.abs(amount).toLocaleString('en');
  const text = amount < 0 ? `−${n}` : `+${n} refund`;
  if (balance === undefined) return { text };
  return { text, note: `${balance.toLocaleString('en')} left`, balance: { before: balance - amount, after: balance } };
}

function deliveryBar({ at, took, tone, data }: TimelineEntry): Own {
  const status = tone === 'work' ? 'pending' : (data.status ?? 'no response');
  const note = data.fault ? `${status}, injected: ${data.fault}` : String(status);
  return { to: at + (took ?? 0), text: took === null ? '' : durationText(took), note };
}

function readBars({ at, text, data: { reads = [] } }: TimelineEntry): Own[] {
  return reads.map((after, n) => ({
    from: at + after,
    to: at + after,
    note: n === reads.length - 1 ? text.replace('Read the job: ', '') : '',
  }));
}

/** `from`, `to` and `room` are shares of the axis. */
export interface PositionedBar {
  bar: TimelineBar;
  from: number;
  to: number;
  text: string;
  note: string;
  side: 'after' | 'before' | 'within';
  room: { from: number; to: number };
}

/**
 * If a bar ends after this share of the axis, its note is placed to its left or inside it. Labels of balance changes do
 * not use this share.
 */
const RIGHT_SIDE_FROM = 0.82;
/** The width of a letter, and the padding of a label, as shares of an axis of 660 pixels. */
const LETTER = 6.3 / 660;
const EDGES = 12 / 660;

function widthOf(...lines: readonly string[]): number {
  return EDGES + LETTER * Math.max(...lines.map(({ length }) => length));
}

export function positionBars(bars: readonly TimelineBar[], placed: (at: number) => number): PositionedBar[] {
  const all = bars.map((bar) => ({ bar, from: placed(bar.from), to: bar.to === null ? 1 : placed(bar.to) }));
  const isMoney = all.every(({ bar }) => bar.look === 'money');
  return isMoney ? mergedLabels(all) : all.map((each, at) => withRoom(each, all[at - 1], all[at + 1]));
}

type Span = Pick<PositionedBar, 'bar' | 'from' | 'to'>;

function withRoom(each: Span, before: Span | undefined, after: Span | undefined): PositionedBar {
  const { text, note } = each.bar;
  const [left, right] = [before?.to ?? 0, after?.from ?? 1];
  const from = before && !isLate(before) && before.bar.note !== '' ? (left + each.from) / 2 : left;
  const to = after && isLate(after) && after.bar.note !== '' ? (each.to + right) / 2 : right;
  const fitsBefore = each.from - from >= widthOf(note);
  const side = isLate(each) ? (fitsBefore ? 'before' : 'within') : 'after';
  return { ...each, text, note, side, room: { from, to } };
}

function isLate({ to }: { to: number }): boolean {
  return to > RIGHT_SIDE_FROM;
}

/** Joins labels of balance changes that would overlap into one at the last change, with the final balance. */
function mergedLabels(all: readonly Span[]): PositionedBar[] {
  const labels: PositionedBar[] = [];
  for (const each of all) {
    const { text, note } = each.bar;
    let label = sided({ ...each, text, note });
    // Repeats, because a joined label is wider and may overlap the one before it.
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

function sided(label: Omit<PositionedBar, 'side' | 'room'>): PositionedBar {
  const width = widthOf(label.text, label.note);
  const isRight = label.to + width <= 1;
  const room = isRight ? { from: label.from, to: label.to + width } : { from: label.from - width, to: label.to };
  return { ...label, side: isRight ? 'after' : 'before', room };
}

/** The space for a label of the axis, as a share of the axis. */
const WIDTH = 0.1;

/** The labels of the axis, as many as fit: first the chosen, first and last time, then the gaps and other times. */
export function layOutAxisLabels(
  knots: readonly ScalePoint[],
  cuts: readonly { text: string; position: number }[],
  { placed, now }: { placed: (at: number) => number; now: number | undefined },
) {
  const labelAt = (at: number) => axisLabel(formatTimeOffset(at), placed(at));
  const labels = [
    ...[...(now === undefined ? [] : [now]), 0, knots.at(-1)?.at ?? 0].map(labelAt),
    ...cuts.map(({ text, position }) => axisLabel(text, position)),
    ...knots.map(({ at }) => labelAt(at)),
  ];
  const shown: typeof labels = [];
  for (const each of labels) {
    if (shown.every(({ from, to }) => to <= each.from || from >= each.to)) shown.push(each);
  }
  return shown;
}

/** `from` and `to` are the shares of the axis between which the label is. */
function axisLabel(text: string, position: number) {
  const edge = position < WIDTH / 2 ? 'first' : position > 1 - WIDTH / 2 ? 'last' : undefined;
  const from = edge === 'first' ? position : position - (edge === 'last' ? WIDTH : WIDTH / 2);
  return { text, position, edge, from, to: from + WIDTH };
}
