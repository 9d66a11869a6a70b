import { type OrderLine, orderLine } from '../orders/order-line.ts';
import type { OrderRecords } from '../orders/order-records.ts';
import { type Trail, trailOf } from '../orders/timeline.ts';

/** Whether its request had come, and was not answered yet. */
export function isInFlight(records: OrderRecords, whole: OrderRecords): boolean {
  return records.request !== undefined && records.request.duration_ms < (whole.request?.duration_ms ?? 0);
}

/** An order as a row shows it at that moment. */
export function lineAt(records: OrderRecords, whole: OrderRecords): OrderLine {
  // What is past can be neither approved nor sent again.
  const line = { ...orderLine(records, records.reads.length), todo: { redeliver: null, run: null } };
  if (!isInFlight(records, whole)) return line;
  const { began } = line.time;
  return {
    ...line,
    time: { began, took: records.clock.now - began, is_open: true },
    fate: { ...line.fate, answer: null, says: 'under way', tone: 'work' },
    error: null,
  };
}

/** The same as its drawing: what is still to come has no step. */
export function trailAt(records: OrderRecords, whole: OrderRecords): Trail & { line: OrderLine } {
  const line = lineAt(records, whole);
  const drawn = trailOf(records);
  if (!isInFlight(records, whole)) return { ...drawn, line };
  const answered = drawn.steps.findIndex(({ id }) => id === 'answered');
  const steps = drawn.steps.filter((_, at) => at !== answered);
  const moved = (at: number) => (at > answered ? at - 1 : at);
  return {
    ...drawn,
    line,
    steps,
    rails: drawn.rails.map((rail) => ({ ...rail, steps: rail.steps.filter((at) => at !== answered).map(moved) })),
    lanes: drawn.lanes.map((lane) => ({
      ...lane,
      tracks: lane.tracks.map((track) => ({ ...track, bars: track.bars.filter(({ step }) => step !== 'answered') })),
    })),
  };
}
