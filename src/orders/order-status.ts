import { isFinal, type Job } from '../jobs/job.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import type { StoredDelivery } from '../webhooks/delivery-store.ts';
import type { OrderRecords, Tone } from './order-records.ts';

/** One link of the chain: so many of so many, and how it went. */
export interface Link {
  done: number;
  of: number;
  tone: Tone;
}

/** What became of an order. A link that cannot come is null. */
export interface Fate {
  answer: { status: number; tone: Tone; cut: boolean } | null;
  work: Link | null;
  events: Link | null;
  deliveries: Link | null;
  money: { charged: number; back: number };
  /** In one sentence, and how it all is. */
  says: string;
  tone: Tone;
}

/** Something that is to be said of an order; the first of the list is what counts most. */
interface Said {
  tone: Tone;
  says: string;
}

export function fateOf(records: OrderRecords): Fate {
  const { request, jobs, told, run } = records;
  const money = moneyOf(records);
  const said = [
    ...runSaid(records),
    ...answerSaid(records),
    ...workSaid(jobs, money),
    ...deliverySaid(told.deliveries),
    ...discardedSaid(records),
  ];
  const order: Tone[] = ['bad', 'wait', 'work', 'plain'];
  const worst = order.flatMap((tone) => said.filter((each) => each.tone === tone));
  const tone = worst[0]?.tone ?? 'good';
  const waits = jobs.length > 0 || run !== undefined;
  return {
    answer: request ? { status: request.status, tone: answerTone(request, tone), cut: request.cut === true } : null,
    work: jobs.length > 0 ? workLink(jobs) : null,
    events: waits || told.events.length > 0 ? eventLink(records) : null,
    deliveries: waits || told.deliveries.length > 0 ? deliveryLink(told.deliveries) : null,
    money,
    tone: tone === 'plain' ? 'good' : tone,
    says: worst.map(({ says }) => says).join(' · ') || (request?.method === 'GET' ? 'read' : 'done'),
  };
}

/** What was charged, and what of it came back; of a discarded future what the answer said. */
export function moneyOf({ entries, request }: Pick<OrderRecords, 'entries' | 'request'>): Fate['money'] {
  if (request?.discarded) return { charged: request.credits ?? 0, back: 0 };
  const sum = (type: string) => entries.reduce((total, each) => total + (each.type === type ? each.amount : 0), 0);
  return { charged: 0 - sum('charge'), back: sum('refund') };
}

/** The deliveries that were made at first, each with the last try of it. */
export function triesOf(deliveries: readonly StoredDelivery[]): { first: StoredDelivery; tries: StoredDelivery[] }[] {
  const firsts = deliveries.filter(({ redeliveryOf }) => redeliveryOf === null);
  return firsts.map((first) => {
    const same = ({ eventId, endpointId }: StoredDelivery) =>
      eventId === first.eventId && endpointId === first.endpointId;
    return { first, tries: [first, ...deliveries.filter((each) => each.redeliveryOf !== null && same(each))] };
  });
}

/** Why a delivery was not taken: its status, or that there was none. */
export function refusalOf({ responseStatus }: StoredDelivery): string {
  return responseStatus === null ? 'no answer' : String(responseStatus);
}

function runSaid({ run }: OrderRecords): Said[] {
  if (!run) return [];
  const { status, step, failure } = run.run;
  if (status === 'failed') return [{ tone: 'bad', says: `step ${failure?.step ?? step} failed` }];
  if (status === 'waiting') return [{ tone: 'wait', says: `waits at step ${step} for a click` }];
  return status === 'running' ? [{ tone: 'work', says: `at step ${step}` }] : [];
}

function answerSaid({ request, entries }: OrderRecords): Said[] {
  if (!request) return [];
  const { status, cut, fault } = request;
  const by = fault === undefined ? '' : ', by a fault';
  if (status === 0) return [{ tone: 'bad', says: `connection reset${by}` }];
  if (status >= 400) return [{ tone: 'bad', says: refusal(request, moneyOf({ entries, request })) + by }];
  return cut ? [{ tone: 'bad', says: `answer cut before its end${by}` }] : [];
}

function discardedSaid({ request }: OrderRecords): Said[] {
  return request?.discarded ? [{ tone: 'wait', says: 'discarded by a restore' }] : [];
}

function refusal(request: JournalEntry, { charged, back }: Fate['money']): string {
  const code = codeOf(request) ?? String(request.status);
  if (charged === 0) return `refused: ${code}`;
  return back === charged ? `${code}, all of it given back` : code;
}

/** The code of the error that a request was answered with. */
export function codeOf({ status, answer }: Pick<JournalEntry, 'status' | 'answer'>): string | undefined {
  if (status < 400) return undefined;
  return /"code":\s*"([^"]{1,80})"/.exec(answer?.slice(0, 2000) ?? '')?.[1];
}

function workSaid(jobs: readonly Job[], { charged, back }: Fate['money']): Said[] {
  const failed = jobs.filter(({ status }) => status === 'failed');
  const open = jobs.filter(({ status }) => !isFinal(status));
  const all = back === charged && back > 0 ? ', all of it given back' : '';
  const said: Said[] = [];
  if (failed.length > 0) said.push({ tone: 'bad', says: (jobs.length > 1 ? takes(failed) : jobCode(failed)) + all });
  if (open.length > 0) {
    said.push({ tone: 'work', says: open.some(({ started }) => started !== null) ? 'rendering' : 'queued' });
  }
  return said;
}

function takes(failed: readonly Job[]): string {
  const named = failed.map(({ take }, at) => take ?? at + 1);
  return `take${named.length > 1 ? 's' : ''} ${named.join(', ')} failed`;
}

function jobCode([job]: readonly Job[]): string {
  return job?.result && 'error' in job.result ? job.result.error.code : 'failed';
}

function deliverySaid(deliveries: readonly StoredDelivery[]): Said[] {
  const tries = triesOf(deliveries);
  const lost = tries.filter((each) => isLost(each.tries));
  const due = tries.some((each) => each.tries.some(({ status }) => status === 'due' || status === 'attempted'));
  const healed = tries.filter((each) => each.tries[0]?.status === 'failed' && !isLost(each.tries) && !due);
  const said: Said[] = [];
  if (lost.length > 0) {
    const how = lost.map((each) => refusalOf(each.first)).slice(0, 4);
    said.push({
      tone: 'bad',
      says: `${lost.length === 1 ? 'delivery' : `${lost.length} deliveries`} refused: ${how.join(', ')}`,
    });
  }
  if (due) said.push({ tone: 'work', says: 'being delivered' });
  if (healed.length > 0) {
    const most = Math.max(...healed.map((each) => each.tries.length));
    said.push({ tone: 'plain', says: `delivered at the ${ordinal(most)} try` });
  }
  return said;
}

/** Nobody took it, and nobody is trying. */
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

function eventLink({ told, jobs, run }: OrderRecords): Link {
  const of = jobs.length + (run ? 1 : 0);
  return { done: told.events.length, of: Math.max(of, told.events.length), tone: 'plain' };
}

function deliveryLink(deliveries: readonly StoredDelivery[]): Link {
  const tries = triesOf(deliveries);
  const done = tries.filter((each) => each.tries.some(({ status }) => status === 'delivered')).length;
  const due = tries.some((each) => each.tries.some(({ status }) => status === 'due' || status === 'attempted'));
  const lost = tries.some((each) => isLost(each.tries));
  return { done, of: tries.length, tone: lost ? 'bad' : due ? 'work' : 'plain' };
}
