import { z } from 'zod';
import type { JournalEntry } from '../journal/journal-record.ts';
import { answeredStep, directivesStep, faultsStep, fixturesStep, receivedStep, validatedStep } from './explain-call.ts';
import { chargedStep, priceStep, refundedStep } from './explain-money.ts';
import {
  deliverySteps,
  discardedStep,
  jobSteps,
  renderSteps,
  runStep,
  settledSteps,
  summaryOf,
} from './explain-work.ts';
import { type ExplainedOrder, type ExplainedStep, type ExplainParts, explainedOrder } from './explained-order.ts';
import type { OrderRecords } from './order-records.ts';
import { type OrderSource, readOrder, rootOf } from './read-order.ts';

/** What became of one request: each step as a sentence, with the same as data beside it. */
export const explanation = z.strictObject({
  id: z.string(),
  account_id: z.string().nullable(),
  summary: z.string(),
  /** It belongs to a future that a restore has discarded. */
  discarded: z.literal(true).optional(),
  steps: z.array(z.object({ step: z.string(), text: z.string() }).catchall(z.unknown())),
});

export type Explanation = z.infer<typeof explanation>;

/** The chapters in the order in which they happen. */
const CHAPTERS: readonly ((order: ExplainedOrder) => ExplainedStep | ExplainedStep[] | undefined)[] = [
  receivedStep,
  discardedStep,
  validatedStep,
  directivesStep,
  faultsStep,
  fixturesStep,
  priceStep,
  chargedStep,
  jobSteps,
  renderSteps,
  settledSteps,
  refundedStep,
  runStep,
  answeredStep,
  deliverySteps,
];

/** Explains a request from the records of its order. */
export function explainOrder(parts: ExplainParts, records: OrderRecords & { request: JournalEntry }): Explanation {
  const { request } = records;
  const order = explainedOrder(parts, records);
  return {
    id: request.id,
    account_id: request.account_id,
    summary: summaryOf(order),
    discarded: request.discarded,
    steps: CHAPTERS.flatMap((chapter) => chapter(order) ?? []),
  };
}

/** The same of a request that may belong to the order of another, as a read of a job does. */
export function explainRequest(parts: ExplainParts, source: OrderSource, request: JournalEntry): Explanation {
  return explainOrder(parts, { ...readOrder(source, rootOf(request), { reads: false }), request });
}
