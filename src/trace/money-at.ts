import type { PaidEntry } from '../orders/order-records.ts';
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

/** What an account was charged, by operation and model, the dearest first. */
function spendingOf(entries: readonly PaidEntry[], accountId: string) {
  const rows = new Map<string, Sums & { operation: string; model: string | null }>();
  const charges = new Map(entries.map((entry) => [entry.id, entry]));
  for (const entry of entries) {
    const of = entry.type === 'charge' ? entry : entry.refundOf ? charges.get(entry.refundOf) : undefined;
    if (!of) continue;
    const key = `${of.operation} ${of.model}`;
    const row = rows.get(key) ?? { operation: of.operation ?? '', model: of.model, ...NOTHING };
    rows.set(key, { ...row, ...added(row, entry) });
  }
  const data = [...rows.values()].sort((a, b) => b.credits - a.credits);
  const total = data.reduce<Sums>((sum, row) => sumOf(sum, row), NOTHING);
  return { account_id: accountId, data, total };
}

interface Sums {
  charges: number;
  refunds: number;
  charged: number;
  refunded: number;
  credits: number;
}

const NOTHING: Sums = { charges: 0, refunds: 0, charged: 0, refunded: 0, credits: 0 };

function added(row: Sums, { type, amount }: PaidEntry): Sums {
  if (type === 'charge') return sumOf(row, { ...NOTHING, charges: 1, charged: -amount, credits: -amount });
  return sumOf(row, { ...NOTHING, refunds: 1, refunded: amount, credits: -amount });
}

function sumOf(a: Sums, b: Sums): Sums {
  return {
    charges: a.charges + b.charges,
    refunds: a.refunds + b.refunds,
    charged: a.charged + b.charged,
    refunded: a.refunded + b.refunded,
    credits: a.credits + b.credits,
  };
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
