import { realTimeOf } from '../../base/clock/clock-marks.ts';
import { isFinal, type Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import { askedOf } from './asked-words.ts';
import { errorOf, type OrderRecords } from './order-records.ts';
import { type OrderStatus, orderStatus } from './order-status.ts';

/** One order as a row shows it. `began` is the machine's time and `took` the whole order's, both in milliseconds. */
export interface OrderLine {
  id: string;
  /** `took` counts on while it is under way. */
  time: { began: number; took: number; is_open: boolean };
  asked: { words: string; model: string | null; what: string; reads: number };
  call: { method: string; path: string; operation: string | null; fault: string | null; lie: string | null };
  whose: { account_id: string | null; key_id: string | null };
  status: OrderStatus;
  error: { code: string; message: string } | null;
  /** It belongs to a future that a restore has discarded. */
  discarded?: true | undefined;
  /** Of what it made: the first render, what it is, and how long. */
  made: { library_id: string; medium: string; seconds: number | null } | null;
  /** What can be done about it: the refused delivery that can be sent again, the run that waits. */
  todo: { redeliver: string | null; run: string | null };
}

/** `reads`: how many requests have read its jobs. */
export function orderLine(records: OrderRecords, reads: number): OrderLine {
  const { id, request, run } = records;
  const status = orderStatus(records);
  const account = request?.account_id ?? run?.run.accountId ?? records.jobs[0]?.accountId ?? null;
  return {
    id,
    time: timeOf(records),
    asked: { ...askedOf(records), reads },
    call: callOf(records),
    whose: { account_id: account, key_id: request?.key_id ?? null },
    status,
    error: request ? errorIn(request) : null,
    discarded: request?.discarded,
    made: madeOf(records),
    todo: {
      redeliver: status.deliveries?.tone === 'bad' ? lastRefused(records) : null,
      run: run?.run.status === 'waiting' ? run.run.id : null,
    },
  };
}

function callOf({ request, events }: OrderRecords): OrderLine['call'] {
  const lie = request?.lie ?? events.find((each) => each.alteredBy)?.alteredBy ?? null;
  if (!request) return { method: '', path: '', operation: null, fault: null, lie };
  const { method, path, operation, fault = null } = request;
  return { method, path: path.slice(0, 300), operation, fault, lie };
}

function errorIn(request: JournalEntry): OrderLine['error'] {
  const error = errorOf(request);
  return error && request.status >= 400 ? { code: error.code, message: error.message.slice(0, 300) } : null;
}

/** When it began, and how long it took to its last stamp. */
export function timeOf({ request, jobs, events, deliveries, run, clock }: OrderRecords): OrderLine['time'] {
  const { marks, now } = clock;
  const real = (at: number, from: number) => realTimeOf(marks, at, from);
  const first = run?.run.started ?? jobs[0]?.created ?? events[0]?.created ?? now;
  const began = request?.began ?? real(first, 0);
  const ends = [
    request ? request.began + request.duration_ms : began,
    ...jobs.flatMap(({ completed }) => (completed === null ? [] : [real(completed, began)])),
    ...deliveries.flatMap(({ attemptedAt, durationMs }) =>
      attemptedAt === null ? [] : [attemptedAt + (durationMs ?? 0)],
    ),
  ];
  const isOpen = jobs.some(({ status }) => !isFinal(status)) || run?.run.status === 'running';
  return { began, took: (isOpen ? now : Math.max(...ends)) - began, is_open: isOpen };
}

function madeOf({ jobs }: OrderRecords): OrderLine['made'] {
  const done = jobs.find(({ result }) => result && 'library_id' in result);
  const [first] = jobs;
  if (!done) return first ? { library_id: '', medium: first.medium, seconds: null } : null;
  return { library_id: libraryOf(done), medium: done.medium, seconds: secondsOf(done) };
}

function libraryOf({ result }: Job): string {
  return result && 'library_id' in result ? result.library_id : '';
}

function secondsOf({ outcome }: Job): number | null {
  return outcome && 'file' in outcome ? (outcome.seconds ?? null) : null;
}

function lastRefused({ deliveries }: OrderRecords): string | null {
  return deliveries.findLast(({ status }) => status === 'failed')?.id ?? null;
}
