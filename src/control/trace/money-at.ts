import type { PaidEntry } from '../orders/order-records.ts';
import { grouped } from './trace-file.ts';
import type { TraceOrders } from './trace-orders.ts';

interface Then {
  orders: TraceOrders;
  /** Milliseconds of the machine's clock. */
  moment: number;
}

interface Asked {
  resource: string;
  id: string | undefined;
  part: string | undefined;
  more: string | undefined;
}

/** The ledger of an account, its balance and what it spent, or one entry; undefined for what is none of these. */
export function moneyAnswer({ orders, moment }: Then, { resource, id, part, more }: Asked) {
  const isOfAccount = resource === 'accounts' && id !== undefined && part !== undefined;
  if (!isOfAccount && resource !== 'ledger') return undefined;
  const past = orders.paidBy(moment);
  if (resource === 'ledger') return oneEntry(past, id ?? '');
  const own = past.filter(({ accountId }) => accountId === id);
  if (part === 'balance') return balanceOf(own, id);
  if (part === 'usage' && more === 'summary') return spendingOf(own, id ?? '');
  if (part === 'usage') return own.map(entryView).toReversed();
  return part === 'keys' ? [] : undefined;
}

const SUMS = ['charges', 'refunds', 'charged', 'refunded', 'credits'] as const;
type Sums = Record<(typeof SUMS)[number], number>;

const NOTHING: Sums = { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: 0 };

/** What an account was charged, by operation and model, the dearest first. */
function spendingOf(entries: readonly PaidEntry[], accountId: string) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const paidFor = (entry: PaidEntry) => (entry.type === 'charge' ? entry : byId.get(entry.refundOf ?? ''));
  const paid = entries.filter(paidFor);
  const work = grouped(paid, (entry) => `${paidFor(entry)?.operation} ${paidFor(entry)?.model}`);
  const data = [...work.values()].map((own) => {
    const of = own[0] && paidFor(own[0]);
    return { operation: of?.operation ?? '', model: of?.model ?? null, ...sumOf(own.map(movedBy)) };
  });
  return { account_id: accountId, data: data.sort((a, b) => b.credits - a.credits), total: sumOf(data) };
}

function movedBy({ type, amount }: PaidEntry): Sums {
  if (type === 'charge') return { ...NOTHING, charges: 1, charged: -amount, credits: -amount };
  return { ...NOTHING, refunds: 1, refunded: amount, credits: -amount };
}

function sumOf(rows: readonly Sums[]): Sums {
  const sum = { ...NOTHING };
  for (const row of rows) for (const name of SUMS) sum[name] += row[name];
  return sum;
}

function entryView({ id, type, amount, balance, operation, model, created, ...refs }: PaidEntry) {
  const names = { job_id: refs.jobId, refund_of: refs.refundOf, request_id: refs.requestId };
  return { id, type, amount, balance, operation, model, ...names, created: Math.floor(created / 1000) };
}

function oneEntry(entries: readonly PaidEntry[], id: string) {
  const entry = entries.find((each) => each.id === id);
  if (!entry) return undefined;
  const refund = entries.find(({ refundOf }) => refundOf === id);
  return { ...entryView(entry), account_id: entry.accountId, refunded_by: refund?.id ?? null };
}

function balanceOf(entries: readonly PaidEntry[], accountId: string | undefined) {
  const data = entries.map(({ created, balance }) => ({ created: Math.floor(created / 1000), balance }));
  return { account_id: accountId, entries: entries.length, start: 0, data };
}
