import type { WriteBatch, Writer } from '../database/transaction.ts';
import { insertEntries, readTail, type StoredEntry, type Tail } from './ledger-store.ts';
import { lastSkipped } from './skipped-store.ts';
import { addUsage, dayOf, type UsageOfDay } from './usage-store.ts';

/** An entry, and of a refund the charge that it gives back. */
interface Held {
  entry: StoredEntry;
  paid: StoredEntry | undefined;
}

/** The entries of a group's transactions, and where their accounts stand with them. */
export class EntriesInHand implements WriteBatch {
  readonly #writer: Writer;
  readonly #tails = new Map<string, Tail>();
  #held: Held[] = [];

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  get length(): number {
    return this.#held.length;
  }

  /** Where an account stands, as its next entry has it. One that is not remembered has no entry in hand. */
  tail(accountId: string): Tail {
    const known = this.#tails.get(accountId);
    if (known) return known;
    const { n, balance } = readTail(this.#writer, accountId);
    const tail = { n: Math.max(n, lastSkipped(this.#writer, accountId)), balance };
    this.#tails.set(accountId, tail);
    return tail;
  }

  add(entry: StoredEntry, paid?: StoredEntry): void {
    this.#held.push({ entry, paid });
    this.#tails.set(entry.accountId, entry);
  }

  write(count: number): void {
    const written = count === this.#held.length ? this.#held : this.#held.slice(0, count);
    insertEntries(this.#writer, written);
    for (const usage of sums(written)) addUsage(this.#writer, usage);
    this.#held = this.#held.slice(count);
  }

  cut(count: number): void {
    this.#held.length = count;
    this.#tails.clear();
    for (const { entry } of this.#held) this.#tails.set(entry.accountId, entry);
  }
}

export function entriesInHand(writer: Writer): EntriesInHand {
  return new EntriesInHand(writer);
}

/** What entries add to the sums of their days; mostly they are of one kind. */
function sums(held: readonly Held[]): UsageOfDay[] {
  const found: UsageOfDay[] = [];
  for (const { entry, paid } of held) {
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
