import type { WriteBatch, Writer } from '../database/transaction.ts';
import { insertEntries, readTail, type StoredEntry, type Tail } from './ledger-store.ts';
import { lastSkipped } from './skipped-store.ts';
import { addUsage, dayOf, type UsageOfDay } from './usage-store.ts';

/** An entry, and for a refund the refunded charge. */
interface PendingEntry {
  entry: StoredEntry;
  paid: StoredEntry | undefined;
}

/** The entries of a commit group that are not written yet, and the last entry of each of their accounts. */
export class PendingEntries implements WriteBatch {
  readonly #writer: Writer;
  readonly #tails = new Map<string, Tail>();
  #pending: PendingEntry[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  get length(): number {
    return this.#pending.length;
  }

  /** The last entry of an account, on which its next one builds. An account that is not cached has no pending entry. */
  tail(accountId: string): Tail {
    const known = this.#tails.get(accountId);
    if (known) return known;
    const { n, balance } = readTail(this.#writer, accountId);
    const tail = { n: Math.max(n, lastSkipped(this.#writer, accountId)), balance };
    this.#tails.set(accountId, tail);
    return tail;
  }

  add(entry: StoredEntry, paid?: StoredEntry): void {
    this.#pending.push({ entry, paid });
    this.#tails.set(entry.accountId, entry);
  }

  write(count: number): void {
    const written = count === this.#pending.length ? this.#pending : this.#pending.slice(0, count);
    insertEntries(this.#writer, written);
    for (const usage of sums(written)) addUsage(this.#writer, usage);
    this.#pending = this.#pending.slice(count);
  }

  cut(count: number): void {
    this.#pending.length = count;
    this.#tails.clear();
    for (const { entry } of this.#pending) this.#tails.set(entry.accountId, entry);
  }
}

export function pendingEntries(writer: Writer): PendingEntries {
  return new PendingEntries(writer);
}

/** What entries add to the sums of their days; most groups have one kind of entry. */
function sums(pending: readonly PendingEntry[]): UsageOfDay[] {
  const found: UsageOfDay[] = [];
  for (const { entry, paid } of pending) {
    const charge = entry.type === 'charge' ? entry : paid;
    if (!charge) continue;
    const usage = found.find((each) => isOf(each, charge)) ?? begin(found, charge);
    count(usage, entry, charge);
  }
  return found;
}

function isOf(usage: UsageOfDay, { accountId, operation, model, created }: StoredEntry): boolean {
  const isSame = usage.accountId === accountId && usage.operation === operation && usage.model === model;
  return isSame && usage.day === dayOf(created);
}

function begin(found: UsageOfDay[], { accountId, operation, model, created, n }: StoredEntry): UsageOfDay {
  const kind = { accountId, day: dayOf(created), operation: operation ?? '', model };
  const usage = { ...kind, firstN: n, lastN: n, charges: 0, charged: 0, refunds: 0, refunded: 0 };
  found.push(usage);
  return usage;
}

function count(usage: UsageOfDay, { type, amount }: StoredEntry, { n }: StoredEntry): void {
  usage.firstN = Math.min(usage.firstN, n);
  usage.lastN = Math.max(usage.lastN, n);
  if (type === 'charge') {
    usage.charges += 1;
    usage.charged -= amount;
  } else {
    usage.refunds += 1;
    usage.refunded += amount;
  }
}
