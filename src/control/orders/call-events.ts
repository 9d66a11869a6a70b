import type { ClockMark } from '../../base/clock/clock-marks.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { OrderRecords, Tone } from './order-records.ts';
import type { Bar, TimelineEvent, TrackName } from './timeline-event.ts';
import { lengthText } from './timeline-scale.ts';

const CLIENT: TrackName = { lane: 'client', id: 'client', label: '' };
const SERVICE: TrackName = { lane: 'service', id: 'service', label: '' };

/** The request as it came and as it was answered, what a rule did to it, and moves of the clock meanwhile. */
export function callEvents(records: OrderRecords): TimelineEvent[] {
  const { request } = records;
  if (!request) return [];
  return [orderedEvent(request), ...faultEvent(request), answeredEvent(request)];
}

function orderedEvent({ id, began, duration_ms, method, path, status }: JournalEntry): TimelineEvent {
  const took = lengthText(duration_ms);
  const step = { id: 'ordered', kind: 'ordered', at: began, took: duration_ms, tone: 'plain', refs: [id] } as const;
  const [plain = ''] = path.split('?');
  const bar: Bar = {
    step: step.id,
    from: began,
    to: began + duration_ms,
    look: 'call',
    tone: status === 0 || status >= 400 ? 'bad' : 'work',
    text: `${method} · ${took}`,
    note: '',
  };
  return { step: { ...step, text: `Ordered: ${method} ${plain.slice(0, 200)}` }, track: CLIENT, bars: [bar] };
}

function faultEvent({ began, fault }: JournalEntry): TimelineEvent[] {
  if (fault === undefined) return [];
  const step = { id: fault, kind: 'fault', at: began, took: null, tone: 'wait', refs: [fault] } as const;
  const bar: Bar = { step: fault, from: began, to: began, look: 'mark', tone: 'wait', text: '', note: '' };
  return [{ step: { ...step, text: 'A fault rule was applied' }, track: SERVICE, bars: [bar] }];
}

function answeredEvent(entry: JournalEntry): TimelineEvent {
  const { id, began, duration_ms, status, cut, job_ids, charges, discarded } = entry;
  const tone: Tone = status === 0 || status >= 400 || cut ? 'bad' : 'good';
  const code = status >= 400 ? entry.error : undefined;
  const how = status === 0 ? 'Connection reset' : `Answered ${status}`;
  const more = [
    code,
    cut && status !== 0 ? 'cut before its end' : '',
    status === 202 ? queuedText(job_ids.length) : '',
  ];
  const at = began + duration_ms;
  const bar: Bar = {
    step: 'answered',
    from: began,
    to: at,
    look: 'call',
    tone,
    text: '',
    note: `${status === 0 ? 'reset' : status}${code ? ` ${code}` : ''}`,
  };
  return {
    step: {
      id: 'answered',
      kind: 'answered',
      at,
      took: duration_ms,
      tone,
      // What it led to has no step of its own any more.
      refs: discarded ? [id, ...job_ids, ...charges] : [id],
      text: [how, ...more.filter(Boolean)].join(', '),
    },
    track: SERVICE,
    bars: [bar],
  };
}

function queuedText(n: number): string {
  return n === 1 ? 'one job queued' : `${n} jobs queued`;
}

/** Reads of its jobs: those that saw the same, one after another and with nothing between, are one step. */
export function readEvents({ reads }: OrderRecords, moments: readonly number[]): TimelineEvent[] {
  const groups: JournalEntry[][] = [];
  for (const read of reads) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    const parted = last && moments.some((moment) => moment > endOf(last) && moment <= endOf(read));
    if (group && last && !parted && seenIn(last) === seenIn(read)) group.push(read);
    else groups.push([read]);
  }
  return groups.map(readEvent);
}

function endOf({ began, duration_ms }: JournalEntry): number {
  return began + duration_ms;
}

function readEvent(group: readonly JournalEntry[]): TimelineEvent {
  const [first] = group as [JournalEntry];
  const last = group.at(-1) ?? first;
  const seen = seenIn(first);
  const tone: Tone = first.status === 0 || first.status >= 400 ? 'bad' : 'plain';
  const text = group.length === 1 ? `Read the job: ${seen}` : `Polled ${group.length} times, “${seen}” each time`;
  // What a read saw is known when its answer is out.
  const at = endOf(first);
  const took = group.length === 1 ? first.duration_ms : last.began - first.began;
  const bars = group.map((read, position): Bar => {
    const note =
      position === group.length - 1 ? (group.length === 1 ? seen : `polled ${group.length} times, ${seen}`) : '';
    return { step: first.id, from: endOf(read), to: endOf(read), look: 'tick', tone, text: '', note };
  });
  const refs = group.map(({ id }) => id);
  return { step: { id: first.id, kind: 'read', at, took, tone, text, refs }, track: CLIENT, bars };
}

/** The status of the job as a read was answered it. */
function seenIn({ status, error, shown }: JournalEntry): string {
  return error ?? shown?.[0]?.status ?? String(status);
}

/** How the clock was moved or stopped while the order was under way: why its stamps are as they are. */
export function clockEvents(
  { clock, request }: OrderRecords,
  { from, to }: { from: number; to: number },
): TimelineEvent[] {
  const { marks } = clock;
  const refs = request ? [request.id] : [];
  return marks.flatMap((mark, at): TimelineEvent[] => {
    const before = marks[at - 1];
    const change = before && mark.real > from && mark.real <= to ? changeOf(before, mark) : '';
    if (change === '') return [];
    const id = `clock-${mark.real}`;
    const bar: Bar = { step: id, from: mark.real, to: mark.real, look: 'mark', tone: 'wait', text: '', note: change };
    const step = { id, kind: 'clock', at: mark.real, took: null, tone: 'wait', text: `Clock ${change}`, refs } as const;
    return [{ step, track: SERVICE, bars: [bar] }];
  });
}

/** What was noted while the order was under way. */
export function noteEvents(
  { notes, request }: OrderRecords,
  { from, to }: { from: number; to: number },
): TimelineEvent[] {
  const refs = request ? [request.id] : [];
  return notes.flatMap(({ at, text }, n): TimelineEvent[] => {
    if (at < from || at > to) return [];
    const id = `note-${at}-${n}`;
    const bar: Bar = { step: id, from: at, to: at, look: 'mark', tone: 'plain', text: '', note: text };
    const step = { id, kind: 'note', at, took: null, tone: 'plain', text: `Note: ${text}`, refs } as const;
    return [{ step, track: SERVICE, bars: [bar] }];
  });
}

/** `moved on 8 d, frozen`; empty where nothing is another. */
function changeOf(before: ClockMark, mark: ClockMark): string {
  const stood = before.runs ? before.now + (mark.real - before.real) : before.now;
  const by = mark.now - stood;
  const moved = Math.abs(by) < 1000 ? '' : `moved ${by < 0 ? 'back' : 'on'} ${lengthText(Math.abs(by))}`;
  const state = mark.runs ? 'runs again' : 'frozen';
  return [moved, before.runs === mark.runs ? '' : state].filter(Boolean).join(', ');
}
