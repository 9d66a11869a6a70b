import { requestName } from './number-requests.ts';
import type { DeliveryRow, RunRecord } from './run-record.ts';
import type { Schedule } from './schedule.ts';
import { withoutNumber } from './step.ts';

/** Work that has no job to look for: who loses its answer has lost what was paid, and cannot tell whether it was. */
const JOBLESS = /^POST \/v1\/(?:chat|audio|images|storage)\//;
const WITHHELD = ['lost_answer', 'lost_request', 'slow', 'kill:before', 'kill:during', 'kill:after'];
/** So many events of a type `GET /v1/webhooks/samples` shows. */
const SAMPLES = 3;

/** Whether nobody could have saved what a schedule does, so that it is not held against the app. */
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

/** Whether an event reached nobody, and so many of its type came after it that the samples do not show it any more. */
function isBeyondSamples(event: string, deliveries: readonly DeliveryRow[]): boolean {
  const own = deliveries.filter(({ event_id }) => event_id === event);
  const first = own[0];
  if (!first || own.some(({ response_status: status }) => status !== null && status < 300)) return false;
  const later = deliveries.slice(deliveries.indexOf(first)).filter(({ type }) => type === first.type);
  return new Set(later.map(({ event_id }) => event_id)).size > SAMPLES;
}
