import { z } from 'zod';
import { counted } from '../../base/counted.ts';
import { type PriceTerm, price } from '../../engine/catalogue/catalogue.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import type { JournalEntry } from '../../engine/journal/journal-record.ts';
import type { JobRender } from '../../media/render-request.ts';
import { answeredStep, directivesStep, faultsStep, fixturesStep, receivedStep, validatedStep } from './explain-call.ts';
import {
  deliverySteps,
  discardedStep,
  jobSteps,
  renderSteps,
  runStep,
  settledSteps,
  summaryOf,
} from './explain-work.ts';
import {
  type ExplainedOrder,
  type ExplainedStep,
  type ExplainParts,
  explainedOrder,
  type RefundedCharge,
} from './explained-order.ts';
import { errorOf, type OrderRecords } from './order-records.ts';
import { inWords, termsOf } from './price-terms.ts';
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

/** The price of each charge as the sum of its parts. */
function priceStep(order: ExplainedOrder): ExplainedStep | undefined {
  const { operation, charges, entry } = order;
  if (!operation?.paid || entry.discarded) return undefined;
  const [first] = charges;
  if (!first) {
    const error = errorOf(entry);
    const why = error?.code === 'insufficient_credits' ? error.message : 'It came to no charge.';
    return { step: 'price', text: why, sums: [] };
  }
  const sums = charges.map((each, at) => sumOf(order, operation.paid as PaidOperation, { each, at }));
  const shown = [...new Set(sums.map(({ text }) => text))].join('; ');
  const takes = charges.length > 1 ? `, for each of ${charges.length} takes` : '';
  return { step: 'price', text: `${shown}${takes}.`, sums };
}

function sumOf(
  { parts, jobs, body, entry }: ExplainedOrder,
  paid: PaidOperation,
  { each, at }: { each: RefundedCharge; at: number },
): { charge: string; credits: number; text: string; terms: PriceTerm[] } {
  const { catalogue } = parts;
  const parameters = jobs[at]?.parameters ?? {};
  const { model, amount } = each.charge;
  const figures = picturedFigures(jobs[at]?.render);
  const made = { catalogue, model, parameters, body, bytes: entry.bytes, figures };
  const terms = termsOf(paid, made);
  // Another catalogue than that of the request has other prices: then only the ledger knows.
  const known = price(terms) === -amount ? terms : [];
  return { charge: each.charge.id, credits: -amount, text: inWords(known, -amount), terms: known };
}

/** How many pictures of elements a clip shows. */
function picturedFigures(render: JobRender | undefined): number {
  return render?.kind === 'clip' ? render.figures.filter(({ picture }) => picture).length : 0;
}

function chargedStep({ charges, operation, entry }: ExplainedOrder): ExplainedStep | undefined {
  if (!operation?.paid) return undefined;
  if (entry.discarded) return recordedCharge(entry);
  if (charges.length === 0) return { step: 'charged', text: 'Nothing was charged.', charges: [] };
  const data = charges.map(({ charge: { id, amount, balance, jobId } }) => ({ id, amount, balance, job_id: jobId }));
  const lines = data.map(({ id, amount, balance }) => `${id} took ${counted(-amount, 'credit')} and left ${balance}`);
  return { step: 'charged', text: `${lines.join('; ')}.`, charges: data };
}

/** Of a discarded future, whose ledger is gone: what the answer said. */
function recordedCharge({ charges, credits }: JournalEntry): ExplainedStep {
  if (charges.length === 0) return { step: 'charged', text: 'Nothing was charged.', charges: [] };
  const sum = credits === null ? 'what is not on record' : counted(credits, 'credit');
  return { step: 'charged', text: `${charges.join(', ')} took ${sum} in all.`, credits, charges };
}

function refundedStep({ charges }: ExplainedOrder): ExplainedStep | undefined {
  const refunds = charges.flatMap(({ charge, refund }) =>
    refund ? [{ id: refund.id, amount: refund.amount, balance: refund.balance, refund_of: charge.id }] : [],
  );
  if (refunds.length === 0) return undefined;
  const lines = refunds.map(
    ({ id, amount, refund_of }) => `${id} gave ${counted(amount, 'credit')} of ${refund_of} back`,
  );
  return { step: 'refunded', text: `${lines.join('; ')}.`, refunds };
}
