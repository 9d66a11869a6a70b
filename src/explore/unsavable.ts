import { readSteps } from './read-steps.ts';
import type { DeliveryRow, RunRecord } from '../runs/run-record.ts';
import type { Schedule } from './schedule.ts';
import { withoutNumber } from './step.ts';
import { type Numbering, requestName } from './step-numbers.ts';

/** Work without a job to look for: a client that loses the answer has lost what it paid, and cannot know whether it paid. */
const JOBLESS = /^POST \/v1\/(?:chat|audio|images|storage)\//;
const WITHHELD = ['lost_answer', 'lost_request', 'slow', 'kill:before', 'kill:during', 'kill:after'];
/** So many events of a type `GET /v1/webhooks/samples` shows. */
const SAMPLES = 3;

/** Whether no app could have saved what a schedule loses, so that it is not counted against the app. */
export function isUnsavable(schedule: Schedule, record: RunRecord): boolean {
  const isLost = schedule.some(({ step, deviation }) => {
    if (deviation === 'empty_balance' || deviation.startsWith('cut:')) return true;
    return JOBLESS.test(step) && WITHHELD.includes(deviation);
  });
  return isLost || hasGone(schedule, record);
}

/** An order whose answer and one of whose events are withheld is to be found among the samples, as long as that is there. */
function hasGone(schedule: Schedule, { requests, deliveries }: RunRecord): boolean {
  const withheld = schedule
    .filter(({ deviation }) => WITHHELD.includes(deviation))
    .map(({ step }) => withoutNumber(step));
  return requests
    .filter((request) => request.job_ids.length > 0 && withheld.includes(requestName(request)))
    .flatMap((request) => request.job_ids)
    .some((id) => isBeyondSamples(id.replace(/^job_/, 'evt_'), deliveries));
}

/** Whether an event was not received, and so many of its type came after it that the samples no longer show it. */
function isBeyondSamples(event: string, deliveries: readonly DeliveryRow[]): boolean {
  const own = deliveries.filter(({ event_id }) => event_id === event);
  const first = own[0];
  if (!first || own.some(({ response_status: status }) => status !== null && status < 300)) return false;
  const later = deliveries.slice(deliveries.indexOf(first)).filter(({ type }) => type === first.type);
  return new Set(later.map(({ event_id }) => event_id)).size > SAMPLES;
}

/** The names of the steps that were charged, in the order in which they were: those of one account come together. */
export function paidOrder(record: RunRecord, numbering: Numbering): string[] {
  const places = new Map(record.ledger.map(({ id }, at) => [id, at]));
  const firstCharge = new Map(record.requests.map(({ id, charges: [charge = ''] }) => [id, places.get(charge)]));
  const { steps } = readSteps(record, numbering);
  return steps
    .flatMap(({ name, ref }) => {
      const at = ref === undefined ? undefined : firstCharge.get(ref);
      return at === undefined ? [] : [{ name, at }];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ name }) => name);
}

/** Whether what both have came in another order: of requests that a client sends at the same time any may be the first. */
export function isOtherOrder(one: readonly string[], other: readonly string[]): boolean {
  const common = one.filter((name) => other.includes(name));
  return common.join('\n') !== other.filter((name) => one.includes(name)).join('\n');
}
