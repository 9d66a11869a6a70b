import { realTimeOf } from '../clock/clock-marks.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import type { OrderRecords, PaidEntry } from './order-records.ts';
import type { Bar, Mark, TrackName } from './timeline-event.ts';

const MONEY: TrackName = { lane: 'money', id: 'money', label: '' };

/** Each charge and what came back of it, with the balance after it. */
export function moneyEvents({ entries, jobs, clock, request }: OrderRecords, began: number): Mark[] {
  if (request?.discarded) return discardedMark(request);
  // An emulator's clock that stands tells no order: a charge is made before its answer is out.
  const latest = request && entries.length > 0 ? request.began + request.duration_ms : Number.POSITIVE_INFINITY;
  return entries.map((entry) => {
    const found = realTimeOf(clock.marks, entry.created, began);
    const at = entry.type === 'charge' ? Math.min(found, latest) : found;
    const take = jobs.length > 1 ? jobs.findIndex(({ id }) => id === jobOf(entries, entry)) + 1 : 0;
    return moneyMark(entry, { at, of: take > 0 ? ` for take ${jobs[take - 1]?.take ?? take}` : '' });
  });
}

function moneyMark(entry: PaidEntry, { at, of }: { at: number; of: string }): Mark {
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

/** The ledger does not have it any more; what the answer said does not tell what was left. */
function discardedMark({ credits, charges, began, duration_ms }: JournalEntry): Mark[] {
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
