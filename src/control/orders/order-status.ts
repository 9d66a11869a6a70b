import { isFinal, type Job } from '../../engine/jobs/job.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { StoredDelivery } from '../../engine/webhooks/delivery-store.ts';
import { moneyOf, type OrderRecords, refusalOf, type Tone, triesOf } from './order-records.ts';

/** One link of the chain: so many of so many, and how it went. */
export interface Link {
  done: number;
  of: number;
  tone: Tone;
}

/** What became of an order. A link that cannot come is null. */
export interface OrderStatus {
  answer: { status: number; tone: Tone; cut: boolean } | null;
  work: Link | null;
  events: Link | null;
  deliveries: Link | null;
  money: { charged: number; back: number };
  /** In one sentence, and how it all is. */
  says: string;
  tone: Tone;
}

/** What is remarkable about an order; the first of the list counts most. */
interface Remark {
  tone: Tone;
  says: string;
}

export function orderStatus(records: OrderRecords): OrderStatus {
  const { request, jobs, events, deliveries, run } = records;
  const money = moneyOf(records);
  const remarks = [
    ...runRemark(records),
    ...answerRemark(records),
    ...workRemark(jobs, money),
    ...deliveryRemark(deliveries),
    ...discardedRemark(records),
  ];
  const order: Tone[] = ['bad', 'wait', 'work', 'plain'];
  const worst = order.flatMap((tone) => remarks.filter((each) => each.tone === tone));
  const tone = worst[0]?.tone ?? 'good';
  const waits = jobs.length > 0 || run !== undefined;
  return {
    answer: request ? { status: request.status, tone: answerTone(request, tone), cut: request.cut === true } : null,
    work: jobs.length > 0 ? workLink(jobs) : null,
    events: waits || events.length > 0 ? eventLink(records) : null,
    deliveries: waits || deliveries.length > 0 ? deliveryLink(deliveries) : null,
    money,
    tone: tone === 'plain' ? 'good' : tone,
    says: worst.map(({ says }) => says).join(' · ') || (request?.method === 'GET' ? 'read' : 'done'),
  };
}

function runRemark({ run }: OrderRecords): Remark[] {
  if (!run) return [];
  const { status, step, failure } = run.run;
  if (status === 'failed') return [{ tone: 'bad', says: `step ${failure?.step ?? step} failed` }];
  if (status === 'waiting') return [{ tone: 'wait', says: `waits at step ${step} for a click` }];
  return status === 'running' ? [{ tone: 'work', says: `at step ${step}` }] : [];
}

function answerRemark({ request, entries }: OrderRecords): Remark[] {
  if (!request) return [];
  const { status, cut, fault } = request;
  const by = fault === undefined ? '' : ', by a fault';
  if (status === 0) return [{ tone: 'bad', says: `connection reset${by}` }];
  if (status >= 400) return [{ tone: 'bad', says: refusal(request, moneyOf({ entries, request })) + by }];
  return cut ? [{ tone: 'bad', says: `answer cut before its end${by}` }] : [];
}

function discardedRemark({ request }: OrderRecords): Remark[] {
  return request?.discarded ? [{ tone: 'wait', says: 'discarded by a restore' }] : [];
}

function refusal(request: JournalEntry, { charged, back }: OrderStatus['money']): string {
  const code = request.error ?? String(request.status);
  if (charged === 0) return `refused: ${code}`;
  return back === charged ? `${code}, fully refunded` : code;
}

function workRemark(jobs: readonly Job[], { charged, back }: OrderStatus['money']): Remark[] {
  const failed = jobs.filter(({ status }) => status === 'failed');
  const open = jobs.filter(({ status }) => !isFinal(status));
  const all = back === charged && back > 0 ? ', fully refunded' : '';
  const remarks: Remark[] = [];
  if (failed.length > 0) remarks.push({ tone: 'bad', says: (jobs.length > 1 ? takes(failed) : jobCode(failed)) + all });
  if (open.length > 0) {
    remarks.push({ tone: 'work', says: open.some(({ started }) => started !== null) ? 'rendering' : 'queued' });
  }
  return remarks;
}

function takes(failed: readonly Job[]): string {
  const named = failed.map(({ take }, at) => take ?? at + 1);
  return `take${named.length > 1 ? 's' : ''} ${named.join(', ')} failed`;
}

function jobCode([job]: readonly Job[]): string {
  return job?.result && 'error' in job.result ? job.result.error.code : 'failed';
}

function deliveryRemark(deliveries: readonly StoredDelivery[]): Remark[] {
  const tries = triesOf(deliveries);
  const lost = tries.filter((each) => isLost(each.tries));
  const due = tries.some((each) => each.tries.some(({ status }) => status === 'due' || status === 'attempted'));
  const healed = tries.filter((each) => each.tries[0]?.status === 'failed' && !isLost(each.tries) && !due);
  const remarks: Remark[] = [];
  if (lost.length > 0) {
    const how = lost.map((each) => refusalOf(each.first)).slice(0, 4);
    remarks.push({
      tone: 'bad',
      says: `${lost.length === 1 ? 'delivery' : `${lost.length} deliveries`} refused: ${how.join(', ')}`,
    });
  }
  if (due) remarks.push({ tone: 'work', says: 'being delivered' });
  if (healed.length > 0) {
    const most = Math.max(...healed.map((each) => each.tries.length));
    remarks.push({ tone: 'plain', says: `delivered at the ${ordinal(most)} try` });
  }
  return remarks;
}

/** No try was taken, and none is under way. */
function isLost(tries: readonly StoredDelivery[]): boolean {
  return tries.length > 0 && tries.every(({ status }) => status === 'failed');
}

function ordinal(n: number): string {
  return n === 2 ? '2nd' : n === 3 ? '3rd' : `${n}th`;
}

/** A good answer is green only where all that came of it is. */
function answerTone({ status, cut }: JournalEntry, all: Tone): Tone {
  if (status === 0 || status >= 400 || cut) return 'bad';
  return all === 'good' || all === 'plain' ? 'good' : 'plain';
}

function workLink(jobs: readonly Job[]): Link {
  const done = jobs.filter(({ status }) => status === 'succeeded').length;
  const failed = jobs.some(({ status }) => status === 'failed');
  const open = jobs.some(({ status }) => !isFinal(status));
  return { done, of: jobs.length, tone: failed ? 'bad' : open ? 'work' : 'plain' };
}

function eventLink({ events, jobs, run }: OrderRecords): Link {
  const of = jobs.length + (run ? 1 : 0);
  return { done: events.length, of: Math.max(of, events.length), tone: 'plain' };
}

function deliveryLink(deliveries: readonly StoredDelivery[]): Link {
  const tries = triesOf(deliveries);
  const done = tries.filter((each) => each.tries.some(({ status }) => status === 'delivered')).length;
  const due = tries.some((each) => each.tries.some(({ status }) => status === 'due' || status === 'attempted'));
  const lost = tries.some((each) => isLost(each.tries));
  return { done, of: tries.length, tone: lost ? 'bad' : due ? 'work' : 'plain' };
}
