import { orderStatus, requestSummary } from './order-line.ts';
import type { OrderRecords } from './order-records.ts';
import type { OrderStep } from './order-step.ts';
import { timeOf } from './order-steps.ts';

export type OrderTimeline = ReturnType<typeof timelineOf>;

/** `at` is in milliseconds after `began`, which is the machine's time. */
export function timelineOf(records: OrderRecords, steps: readonly OrderStep[]) {
  const { request, run } = records;
  const { began, is_open } = timeOf(records);
  const { says, tone } = orderStatus(records, steps);
  const drawn = steps.filter(({ track }) => track.lane !== null);
  const failed = drawn.find((step) => step.tone === 'bad');
  const received = request ? (request.received ?? request.began) : run?.run.started;
  return {
    id: records.id,
    title: requestSummary(records).words || titleOf(records),
    says,
    tone: is_open && tone === 'good' ? ('work' as const) : tone,
    clock: { name: 'machine', began, emulated: received ?? null },
    steps: steps.map((step) => ({ ...step, at: step.at - began })),
    /** The first failed step, or else the last one. */
    chosen: (failed ?? drawn.at(-1))?.id ?? null,
    /** A restore discarded its state. */
    discarded: request?.discarded,
  };
}

function titleOf({ request, run, events, id }: OrderRecords): string {
  if (request) return `${request.method} ${request.path.split('?')[0]}`;
  return run?.run.flowName ?? events[0]?.type ?? id;
}
