import { counted } from '../../base/counted.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import type { ActiveLie } from '../faults/lies/active-lie.ts';
import type { Occasion } from '../faults/lies/lie.ts';
import { insertLied } from '../faults/lies/lied-store.ts';
import type { Lies } from '../faults/lies/lies.ts';
import type { PaidOperation } from '../faults/paid-work.ts';
import { findEntry } from '../ledger/entry-store.ts';
import { balanceOf, type Charge, charge, type Entry, refundAs } from '../ledger/ledger.ts';

/** Where each paid operation is ordered: its operationId and its path. */
const PLACES: Record<PaidOperation, { name: string; path: string }> = {
  'chat.completion': { name: 'createChatCompletion', path: '/v1/chat/completions' },
  'image.generation': { name: 'createImage', path: '/v1/images/generations' },
  'video.generation': { name: 'createVideo', path: '/v1/videos/generations' },
  'music.generation': { name: 'createSong', path: '/v1/music/generations' },
  'audio.speech': { name: 'createSpeech', path: '/v1/audio/speech' },
  'audio.transcription': { name: 'createTranscription', path: '/v1/audio/transcriptions' },
  'storage.object': { name: 'uploadObject', path: '/v1/storage/objects' },
};

export interface MoneyParts {
  random: Random;
  lies: Lies;
}

export interface Movement {
  accountId: string;
  operation: string | null;
  model: string | null;
  take?: number | null;
}

export function occasionOf({ accountId, operation, model, take }: Movement): Occasion {
  const { name, path } = PLACES[operation as PaidOperation];
  return { site: `ledger ${name}`, accountId, path, method: 'POST', model, take };
}

/** Records what a lie has done to a row, and reports it once that is committed. */
export function keep(
  { lies }: MoneyParts,
  tx: Transaction,
  { lie, occasion, ref, detail }: { lie: ActiveLie; occasion: Occasion; ref: string; detail: string },
): void {
  insertLied(tx, { accountId: occasion.accountId, lie: lie.lie, ref, detail });
  tx.onCommit(() => lies.tell(lie, occasion));
}

/** What an order is charged: credits of each charge, and of the part that is for keeping its result. */
export interface Bill {
  prices: readonly number[];
  stored?: number | undefined;
}

/** How a lie about the price makes the charges of an order: `twice` writes each of them a second time. */
export interface LiedBill {
  prices: readonly number[];
  twice: boolean;
  lie: ActiveLie;
}

/** The lie about a price under which an order is charged; undefined where it is charged as it has to be. */
export function liedBill(
  lies: Lies,
  tx: Transaction,
  order: Movement,
  { prices, stored = 0 }: Bill,
): LiedBill | undefined {
  const occasion = occasionOf(order);
  const balance = balanceOf(tx, order.accountId);
  const total = prices.reduce((sum, price) => sum + price, 0);
  const zeros = (from: number) => prices.map((price, at) => (at < from ? price : 0));
  const bills: Record<string, { can: boolean; prices: readonly number[] }> = {
    'charge.one_more': { can: true, prices: prices.map((price) => price + 1) },
    'charge.twice': { can: balance >= 2 * total, prices },
    'charge.none': { can: true, prices: zeros(0) },
    'charge.one_take': { can: prices.length === 2, prices: zeros(1) },
    'charge.store_free': { can: stored > 0, prices: prices.map((price) => price - stored) },
  };
  const found = Object.entries(bills).flatMap(([name, { can, prices: lied }]) => {
    const lie = can ? lies.acting(name, occasion) : undefined;
    return lie ? [{ prices: lied, twice: name === 'charge.twice', lie }] : [];
  });
  return found[0];
}

/** One charge as a lie makes it. Where nothing is charged, its entry has no amount. */
export function chargeLied(parts: MoneyParts, tx: Transaction, order: Charge, { lie, twice }: LiedBill): Entry {
  const { random } = parts;
  const lied = (entry: Entry, detail: string): Entry => {
    keep(parts, tx, { lie, occasion: occasionOf(order), ref: order.jobId ?? entryName(entry), detail });
    return entry;
  };
  if (order.amount === 0) return lied(charge(tx, random, { ...order, lie: lie.lie }), 'nothing was charged');
  const entry = charge(tx, random, order);
  if (!twice) return lied(entry, `${counted(order.amount, 'credit')} were charged`);
  const { balance } = charge(tx, random, { ...order, lie: lie.lie });
  return lied({ ...entry, balance, amount: 2 * entry.amount }, `${counted(order.amount, 'credit')} were charged twice`);
}

/** As findings of the invariants name it. */
export function entryName({ accountId, n }: Pick<Entry, 'accountId' | 'n'>): string {
  return `${accountId} entry ${n}`;
}

/** Refunds work that succeeded, where a lie says so. */
export function giveBackSuccess(
  parts: MoneyParts,
  tx: Transaction,
  of: Pick<Entry, 'accountId' | 'n'>,
  take?: number | null,
): void {
  const paid = findEntry(tx, of.accountId, of.n);
  if (!paid || paid.amount === 0) return;
  const occasion = occasionOf({ ...paid, take: take ?? null });
  const lie = parts.lies.acting('refund.of_success', occasion);
  if (!lie) return;
  refundAs(tx, parts.random, paid, { amount: -paid.amount, lie: lie.lie });
  keep(parts, tx, { lie, occasion, ref: paid.jobId ?? entryName(paid), detail: `${entryName(paid)} was refunded` });
}
