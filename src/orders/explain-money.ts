import type { PaidOperation } from '../faults/paid-work.ts';
import type { JournalEntry } from '../journal/journal-record.ts';
import { counted } from '../log/counted.ts';
import type { JobRender } from '../render/render-request.ts';
import { errorOf } from './explain-call.ts';
import { PRICE_TERMS, type Priced, type PriceTerm } from '../explain/price-terms.ts';
import type { PaidCharge, Step, Story } from './story.ts';

/** The price of each charge as the sum of its parts. */
export function priceStep(story: Story): Step | undefined {
  const { operation, charges, entry } = story;
  if (!operation?.paid || entry.discarded) return undefined;
  const [first] = charges;
  if (!first) {
    const error = errorOf(entry);
    const why = error?.code === 'insufficient_credits' ? error.message : 'It came to no charge.';
    return { step: 'price', text: why, sums: [] };
  }
  const sums = charges.map((each, at) => sumOf(story, operation.paid as PaidOperation, { each, at }));
  const shown = [...new Set(sums.map(({ text }) => text))].join('; ');
  const takes = charges.length > 1 ? `, for each of ${charges.length} takes` : '';
  return { step: 'price', text: `${shown}${takes}.`, sums };
}

function sumOf(
  { context, jobs, body, entry }: Story,
  paid: PaidOperation,
  { each, at }: { each: PaidCharge; at: number },
): { charge: string; credits: number; text: string; terms: PriceTerm[] } {
  const { catalogue } = context;
  const parameters = jobs[at]?.parameters ?? {};
  const { model, amount } = each.charge;
  const figures = picturedFigures(jobs[at]?.render);
  const made = { catalogue, model, parameters, body, bytes: entry.bytes, figures };
  const terms = termsOf(paid, made) ?? [];
  const sum = terms.reduce((total, { times, credits }) => total + times * credits, 0);
  // Another catalogue than that of the request has other prices: then only the ledger knows.
  const known = sum === -amount ? terms : [];
  return { charge: each.id, credits: -amount, text: inWords(known, -amount), terms: known };
}

/** How many pictures of elements a clip shows. */
function picturedFigures(render: JobRender | undefined): number {
  return render?.kind === 'clip' ? render.figures.filter(({ picture }) => picture).length : 0;
}

function termsOf(paid: PaidOperation, priced: Priced): PriceTerm[] | undefined {
  try {
    return PRICE_TERMS[paid](priced);
  } catch {
    return undefined;
  }
}

/** The sum, written out. */
export function inWords(terms: readonly PriceTerm[], sum: number): string {
  const parts = terms.map((term) => `${term.times} × ${term.credits} (${term.for})`);
  return parts.length === 0 ? counted(sum, 'credit') : `${parts.join(' + ')} = ${sum}`;
}

export function chargedStep({ charges, operation, entry }: Story): Step | undefined {
  if (!operation?.paid) return undefined;
  if (entry.discarded) return recordedCharge(entry);
  if (charges.length === 0) return { step: 'charged', text: 'Nothing was charged.', charges: [] };
  const told = charges.map(({ id, charge }) => ({
    id,
    amount: charge.amount,
    balance: charge.balance,
    job_id: charge.jobId,
  }));
  const lines = told.map(({ id, amount, balance }) => `${id} took ${counted(-amount, 'credit')} and left ${balance}`);
  return { step: 'charged', text: `${lines.join('; ')}.`, charges: told };
}

/** Of a discarded future, whose ledger is gone: what the answer said. */
function recordedCharge({ charges, credits }: JournalEntry): Step {
  if (charges.length === 0) return { step: 'charged', text: 'Nothing was charged.', charges: [] };
  const sum = credits === null ? 'what is not on record' : counted(credits, 'credit');
  return { step: 'charged', text: `${charges.join(', ')} took ${sum} in all.`, credits, charges };
}

export function refundedStep({ charges }: Story): Step | undefined {
  const refunds = charges.flatMap(({ id, refund }) =>
    refund ? [{ id: refund.id, amount: refund.amount, balance: refund.balance, refund_of: id }] : [],
  );
  if (refunds.length === 0) return undefined;
  const lines = refunds.map(
    ({ id, amount, refund_of }) => `${id} gave ${counted(amount, 'credit')} of ${refund_of} back`,
  );
  return { step: 'refunded', text: `${lines.join('; ')}.`, refunds };
}
