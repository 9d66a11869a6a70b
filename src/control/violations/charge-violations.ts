import type { Database } from '../../base/database/database.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { counted } from '../../base/text.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import { chargesOf } from '../../engine/generation/charges.ts';
import type { ChargeOrder } from '../../engine/generation/order.ts';
import type { NewJob } from '../../engine/jobs/job.ts';
import { findSiblingTake } from '../../engine/jobs/job-store.ts';
import {
  balanceOf,
  type Charge,
  type Charged,
  charge,
  type Entry,
  refund,
  refundAs,
} from '../../engine/ledger/ledger.ts';
import { CHARGED_TWICE, findEntry, type StoredEntry } from '../../engine/ledger/ledger-store.ts';
import type { ChargeHooks } from '../../engine/violations.ts';
import type { ActiveViolation, Occasion } from './violation.ts';
import type { ViolationRegistry } from './violation-registry.ts';

const PLACES: Record<PaidOperation, { name: string; path: string }> = {
  'chat.completion': { name: 'createChatCompletion', path: '/v1/chat/completions' },
  'image.generation': { name: 'createImage', path: '/v1/images/generations' },
  'video.generation': { name: 'createVideo', path: '/v1/videos/generations' },
  'music.generation': { name: 'createSong', path: '/v1/music/generations' },
  'audio.speech': { name: 'createSpeech', path: '/v1/audio/speech' },
  'audio.transcription': { name: 'createTranscription', path: '/v1/audio/transcriptions' },
  'storage.object': { name: 'uploadObject', path: '/v1/storage/objects' },
};

interface Movement {
  accountId: string;
  operation: string | null;
  model: string | null;
  take?: number | null;
}

function occasionOf({ accountId, operation, model, take }: Movement): Occasion {
  const { name, path } = PLACES[operation as PaidOperation];
  return { site: `ledger ${name}`, accountId, path, method: 'POST', model, take };
}

/** As the invariants name it. */
function entryName({ accountId, n }: Charged): string {
  return `${accountId} entry ${n}`;
}

/** `twice` writes each charge a second time. */
interface ViolatedOrder {
  prices: readonly number[];
  twice: boolean;
  violation: ActiveViolation;
}

const REFUND_VIOLATIONS = ['refund.none', 'refund.one_of_two', 'refund.short', 'refund.twice'];

export class ChargeViolations implements ChargeHooks {
  readonly #registry: ViolationRegistry;
  readonly #random: Random;
  readonly #database: Database;

  constructor({ registry, random, database }: { registry: ViolationRegistry; random: Random; database: Database }) {
    this.#registry = registry;
    this.#random = random;
    this.#database = database;
  }

  charge(tx: Transaction, order: ChargeOrder): Entry[] | undefined {
    const violated = this.#violatedOrder(tx, order);
    if (!violated) return undefined;
    const changed = { ...order, prices: violated.prices };
    return chargesOf(tx, this.#random, changed).map((each) => this.#chargeAs(tx, each, violated));
  }

  refund(tx: Transaction, charged: Charged, job?: NewJob): boolean {
    const paid = findEntry(tx, charged.accountId, charged.n);
    if (!paid || paid.amount === 0) return false;
    const occasion = occasionOf({ ...paid, take: job?.take ?? null });
    const violation = this.#actingOnRefund(tx, paid, job, occasion);
    if (!violation) return false;
    const { name } = violation;
    const amount = -paid.amount;
    if (name === 'refund.twice') {
      refund(tx, this.#random, charged);
      refundAs(tx, this.#random, paid, { amount, violation: name });
    }
    if (name === 'refund.short') refundAs(tx, this.#random, paid, { amount: amount - 1, violation: name });
    const ref = paid.jobId ?? entryName(paid);
    this.#registry.mark(tx, violation, occasion, { ref, detail: `${name} of ${entryName(paid)}` });
    return true;
  }

  onSuccess(tx: Transaction, charged: Charged, take?: number | null): void {
    const paid = findEntry(tx, charged.accountId, charged.n);
    if (!paid || paid.amount === 0) return;
    const occasion = occasionOf({ ...paid, take: take ?? null });
    const violation = this.#registry.acting('refund.of_success', occasion);
    if (!violation) return;
    refundAs(tx, this.#random, paid, { amount: -paid.amount, violation: violation.name });
    const ref = paid.jobId ?? entryName(paid);
    this.#registry.mark(tx, violation, occasion, { ref, detail: `${entryName(paid)} was refunded` });
  }

  /** Charges the order anyway if a violation requires it and the balance suffices. */
  async refuse({ accountId, operation, model, prices }: ChargeOrder): Promise<void> {
    await this.#database.transact((tx) => {
      const total = prices.reduce((sum, price) => sum + price, 0);
      const occasion = occasionOf({ accountId, operation, model });
      const violation =
        balanceOf(tx, accountId) < total ? undefined : this.#registry.acting('charge.blocked', occasion);
      if (!violation) return;
      for (const amount of prices) {
        const order = { accountId, amount, operation, model, jobId: null, violation: violation.name };
        this.#markRefused(tx, charge(tx, this.#random, order), violation, occasion);
      }
    });
  }

  keepsRefused(tx: Transaction, charges: readonly Entry[]): boolean {
    const occasion = charges[0] && occasionOf(charges[0]);
    const violation = occasion && this.#registry.acting('charge.blocked', occasion);
    if (!violation) return false;
    for (const entry of charges) this.#markRefused(tx, entry, violation, occasion);
    return true;
  }

  /** Undefined if the order is charged correctly. */
  #violatedOrder(tx: Transaction, { prices, stored, ...order }: ChargeOrder): ViolatedOrder | undefined {
    const occasion = occasionOf(order);
    const balance = balanceOf(tx, order.accountId);
    const total = prices.reduce((sum, price) => sum + price, 0);
    const zeros = (from: number) => prices.map((price, at) => (at < from ? price : 0));
    const bills: Record<string, { can: boolean; prices: readonly number[] }> = {
      'charge.one_more': { can: true, prices: prices.map((price) => price + 1) },
      [CHARGED_TWICE]: { can: balance >= 2 * total, prices },
      'charge.none': { can: true, prices: zeros(0) },
      'charge.one_take': { can: prices.length === 2, prices: zeros(1) },
      'charge.store_free': { can: stored > 0, prices: prices.map((price) => price - stored) },
    };
    const found = Object.entries(bills).flatMap(([name, { can, prices: violated }]) => {
      const violation = can ? this.#registry.acting(name, occasion) : undefined;
      return violation ? [{ prices: violated, twice: name === CHARGED_TWICE, violation }] : [];
    });
    return found[0];
  }

  #chargeAs(tx: Transaction, order: Charge, { violation, twice }: ViolatedOrder): Entry {
    const marked = (entry: Entry, detail: string): Entry => {
      this.#registry.mark(tx, violation, occasionOf(order), { ref: order.jobId ?? entryName(entry), detail });
      return entry;
    };
    const altered = { ...order, violation: violation.name };
    if (order.amount === 0) return marked(charge(tx, this.#random, altered), 'nothing was charged');
    const entry = charge(tx, this.#random, order);
    const credits = counted(order.amount, 'credit');
    if (!twice) return marked(entry, `${credits} were charged`);
    const { balance } = charge(tx, this.#random, altered);
    return marked({ ...entry, balance, amount: 2 * entry.amount }, `${credits} were charged twice`);
  }

  #actingOnRefund(
    tx: Transaction,
    paid: StoredEntry,
    job: NewJob | undefined,
    occasion: Occasion,
  ): ActiveViolation | undefined {
    const can: Record<string, () => boolean> = {
      'refund.one_of_two': () => job?.take === 2 && failsToo(tx, job),
      'refund.short': () => paid.amount <= -2,
    };
    const acting = (name: string) => ((can[name]?.() ?? true) ? this.#registry.acting(name, occasion) : undefined);
    return REFUND_VIOLATIONS.map(acting).find(Boolean);
  }

  #markRefused(tx: Transaction, entry: Entry, violation: ActiveViolation, occasion: Occasion): void {
    this.#registry.mark(tx, violation, occasion, { ref: entryName(entry), detail: 'a refused order was charged' });
  }
}

function failsToo(tx: Transaction, job: NewJob): boolean {
  const other = findSiblingTake(tx, job);
  return other !== undefined && (other.status === 'failed' || (other.completed === null && other.failWith !== null));
}
