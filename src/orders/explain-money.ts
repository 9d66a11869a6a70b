import { type PriceTerm, price } from '../catalogue/catalogue.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { counted } from '../log/log.ts';
import type { JobRender } from '../render/render-request.ts';
import type { ExplainedOrder, ExplainedStep, RefundedCharge } from './explained-order.ts';
import { errorOf } from './order-records.ts';
import { inWords, termsOf } from './price-terms.ts';

/** The price of each charge as the sum of its parts. */
export function priceStep(order: ExplainedOrder): ExplainedStep | undefined {
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

export function chargedStep({ charges, operation, entry }: ExplainedOrder): ExplainedStep | undefined {
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

export function refundedStep({ charges }: ExplainedOrder): ExplainedStep | undefined {
  const refunds = charges.flatMap(({ charge, refund }) =>
    refund ? [{ id: refund.id, amount: refund.amount, balance: refund.balance, refund_of: charge.id }] : [],
  );
  if (refunds.length === 0) return undefined;
  const lines = refunds.map(
    ({ id, amount, refund_of }) => `${id} gave ${counted(amount, 'credit')} of ${refund_of} back`,
  );
  return { step: 'refunded', text: `${lines.join('; ')}.`, refunds };
}
