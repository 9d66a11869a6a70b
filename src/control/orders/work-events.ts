import { realTimeOf } from '../../base/clock/clock-marks.ts';
import type { Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { OrderRecords, PaidEntry, Tone } from './order-records.ts';
import type { Bar, Step, TimelineEvent, TrackName } from './timeline-event.ts';
import { lengthText } from './timeline-scale.ts';

/** Each take: queued, rendering, and what it came to. */
export function jobEvents({ jobs, clock, run }: OrderRecords, began: number): TimelineEvent[] {
  return jobs.flatMap((job, position) => {
    const number = run ? stepOf(run.steps, job.id) : (job.take ?? position + 1);
    const name = run ? `step ${number}` : jobs.length > 1 ? `take ${number}` : '';
    const track: TrackName = { lane: 'jobs', id: job.id, label: name };
    const real = (at: number) => realTimeOf(clock.marks, at, began);
    return takeEvents({ job, track, name: name || 'the work', now: clock.now }, real);
  });
}

interface Take {
  job: Job;
  track: TrackName;
  name: string;
  now: number;
}

function takeEvents(take: Take, real: (at: number) => number): TimelineEvent[] {
  const { job, track, name, now } = take;
  const created = real(job.created);
  const started = job.started === null ? null : real(job.started);
  const ended = job.completed === null ? null : Math.max(real(job.completed), started ?? 0);
  const until = started ?? ended ?? now;
  const queued: Bar = {
    step: `${job.id}-began`,
    from: created,
    to: until,
    look: 'queued',
    tone: 'plain',
    note: '',
    text: until > created ? lengthText(until - created) : '',
  };
  const marks: TimelineEvent[] = [];
  if (started !== null || ended === null) {
    const text = started === null ? `${capital(name)} is queued` : `${capital(name)} began to render`;
    const step = { ...stepAt(started ?? created), id: `${job.id}-began`, kind: 'began', text, refs: [job.id] } as const;
    marks.push({ step, track, bars: [queued] });
  }
  if (ended !== null) marks.push(endMark(take, { from: started ?? created, to: ended }));
  else if (started !== null) marks[0] = { ...(marks[0] as TimelineEvent), bars: [queued, openBar(take, started)] };
  return marks;
}

function openBar({ job, now }: Take, from: number): Bar {
  const text = `rendering ${lengthText(now - from)}`;
  return { step: `${job.id}-began`, from, to: null, look: 'rendering', tone: 'work', text, note: '' };
}

function endMark({ job, track, name }: Take, { from, to }: { from: number; to: number }): TimelineEvent {
  const { result } = job;
  const failed = result && 'error' in result ? result.error : undefined;
  const tone: Tone = failed ? 'bad' : 'good';
  const library = result && 'library_id' in result ? [result.library_id] : [];
  const bar: Bar = {
    step: job.id,
    from,
    to,
    look: 'rendering',
    tone,
    text: `rendering ${lengthText(to - from)}`,
    note: failed?.code ?? '',
  };
  const kind = failed ? 'failed' : 'succeeded';
  const text = failed ? `${capital(name)} failed: ${failed.code}` : `${capital(name)} done${fileText(job)}`;
  return {
    step: { id: job.id, kind, at: to, took: to - from, tone, text, refs: [job.id, ...library] },
    track,
    bars: [bar],
  };
}

function fileText({ outcome }: Job): string {
  if (!outcome || 'error' in outcome) return '';
  const length = outcome.seconds === undefined ? '' : `${Number(outcome.seconds.toFixed(3))} s of `;
  return `: ${length}${outcome.contentType}`;
}

function stepOf(steps: readonly { step: number; jobId: string | null }[], id: string): number {
  return steps.find(({ jobId }) => jobId === id)?.step ?? 0;
}

function stepAt(at: number): Pick<Step, 'at' | 'took' | 'tone'> {
  return { at, took: null, tone: 'plain' };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const MONEY: TrackName = { lane: 'money', id: 'money', label: '' };

/** Each charge and what came back of it, with the balance after it. */
export function moneyEvents({ entries, jobs, clock, request }: OrderRecords, began: number): TimelineEvent[] {
  if (request?.discarded) return discardedMark(request);
  // A frozen clock gives no order: a charge is made before its answer is out.
  const latest = request && entries.length > 0 ? request.began + request.duration_ms : Number.POSITIVE_INFINITY;
  return entries.map((entry) => {
    const found = realTimeOf(clock.marks, entry.created, began);
    const at = entry.type === 'charge' ? Math.min(found, latest) : found;
    const take = jobs.length > 1 ? jobs.findIndex(({ id }) => id === jobOf(entries, entry)) + 1 : 0;
    return moneyMark(entry, { at, of: take > 0 ? ` for take ${jobs[take - 1]?.take ?? take}` : '' });
  });
}

function moneyMark(entry: PaidEntry, { at, of }: { at: number; of: string }): TimelineEvent {
  const { id, amount, balance, refundOf, jobId } = entry;
  const isCharge = amount < 0;
  const tone = isCharge ? 'plain' : 'good';
  const n = Math.abs(amount).toLocaleString('en');
  const left = `${balance.toLocaleString('en')} left`;
  const text = isCharge ? `Charged ${n}${of}, ${left}` : `Gave ${n} back${of}, ${left}`;
  const bar: Bar = {
    step: id,
    from: at,
    to: at,
    look: 'money',
    tone,
    balance: { before: balance - amount, after: balance },
    text: isCharge ? `−${n}` : `+${n} back`,
    note: left,
  };
  const refs = [id, ...(refundOf ? [refundOf] : []), ...(jobId ? [jobId] : [])];
  return {
    step: { id, kind: isCharge ? 'charged' : 'refunded', at, took: null, tone, text, refs },
    track: MONEY,
    bars: [bar],
  };
}

/** The ledger no longer has it, and the answer does not say what was left. */
function discardedMark({ credits, charges, began, duration_ms }: JournalEntry): TimelineEvent[] {
  const [id] = charges;
  if (!credits || id === undefined) return [];
  const at = began + duration_ms;
  const text = `−${credits.toLocaleString('en')}`;
  return [
    {
      step: { id, kind: 'charged', at, took: null, tone: 'plain', text: `Charged ${text.slice(1)}`, refs: charges },
      track: MONEY,
      bars: [{ step: id, from: at, to: at, look: 'money', tone: 'plain', text, note: '' }],
    },
  ];
}

/** A refund is of the job of its charge. */
function jobOf(entries: readonly PaidEntry[], { jobId, refundOf }: PaidEntry): string | null {
  return jobId ?? entries.find(({ id }) => id === refundOf)?.jobId ?? null;
}
