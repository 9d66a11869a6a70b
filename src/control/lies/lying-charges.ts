import type { Database } from '../../base/database/database.ts';
import { nextId } from '../../base/database/id-store.ts';
import type { Transaction } from '../../base/database/transaction.ts';
import type { Random } from '../../base/random.ts';
import { counted } from '../../base/text.ts';
import type { PaidOperation } from '../../engine/faults/paid-work.ts';
import type { Bill, Charged, Charges } from '../../engine/generation/order.ts';
import { requireTotal } from '../../engine/generation/pipeline.ts';
import type { NewJob } from '../../engine/jobs/job.ts';
import { findSiblingTake } from '../../engine/jobs/job-store.ts';
import { findEntry } from '../../engine/ledger/entry-store.ts';
import { balanceOf, type Charge, charge, type Entry, refundAs } from '../../engine/ledger/ledger.ts';
import type { StoredEntry } from '../../engine/ledger/ledger-store.ts';
import type { ActiveLie, Occasion } from './lie.ts';
import { findTwin, insertLied } from './lied-store.ts';
import type { Lies } from './lies.ts';

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

/** As findings of the invariants name it. */
function entryName({ accountId, n }: Charged): string {
  return `${accountId} entry ${n}`;
}

/** How a lie about the price makes the charges of an order: `twice` writes each of them a second time. */
interface LiedBill {
  prices: readonly number[];
  twice: boolean;
  lie: ActiveLie;
}

export interface LyingChargesParts {
  charges: Charges;
  lies: Lies;
  random: Random;
  database: Database;
}

const REFUND_LIES = ['refund.none', 'refund.one_of_two', 'refund.short', 'refund.twice'];

/** Charges and refunds, or what a lie makes of them. */
export class LyingCharges implements Charges {
  readonly #charges: Charges;
  readonly #lies: Lies;
  readonly #random: Random;
  readonly #database: Database;

  constructor({ charges, lies, random, database }: LyingChargesParts) {
    this.#charges = charges;
    this.#lies = lies;
    this.#random = random;
    this.#database = database;
  }

  /** The seam: what lies have charged is refunded in full also when they are over. */
  static seam(parts: LyingChargesParts): Charges {
    const lying = new LyingCharges(parts);
    const left: Pick<Charges, 'refund' | 'refundRefused'> = {
      refund: (...given) => lying.refund(...given),
      refundRefused: (...given) => lying.refundRefused(...given),
    };
    const acting: Charges = {
      ...left,
      charge: (...given) => lying.charge(...given),
      keep: (...given) => lying.keep(...given),
      refuse: (...given) => lying.refuse(...given),
    };
    return parts.lies.switched({ ...parts.charges, ...left }, acting);
  }

  charge(tx: Transaction, bill: Bill): Entry[] {
    const lied = this.#liedBill(tx, bill);
    if (!lied) return this.#charges.charge(tx, bill);
    const { accountId, operation, model, requestId } = bill;
    requireTotal(tx, lied.prices, accountId);
    return lied.prices.map((amount) => {
      const jobId = bill.ofJobs ? nextId(tx, this.#random, 'job', accountId) : null;
      return this.#chargeAs(tx, { accountId, amount, operation, model, jobId, requestId }, lied);
    });
  }

  refund(tx: Transaction, charged: Charged, job?: NewJob): void {
    const paid = findEntry(tx, charged.accountId, charged.n);
    const lie = this.#lies.isOn && paid && paid.amount !== 0 ? this.#actingOnRefund(tx, paid, job) : undefined;
    if (!lie || !paid) {
      this.#refundAll(tx, charged, paid);
      return;
    }
    const amount = -paid.amount;
    if (lie.lie === 'refund.short') refundAs(tx, this.#random, paid, { amount: amount - 1, alteredBy: lie.lie });
    if (lie.lie === 'refund.twice') {
      this.#charges.refund(tx, charged, job);
      refundAs(tx, this.#random, paid, { amount, alteredBy: lie.lie });
    }
    const occasion = occasionOf({ ...paid, take: job?.take ?? null });
    const detail = `${lie.lie} of ${entryName(paid)}`;
    this.#keep(tx, { lie, occasion, ref: paid.jobId ?? entryName(paid), detail });
  }

  /** Refunds work that succeeded, where a lie says so. */
  keep(tx: Transaction, charged: Charged, take?: number | null): void {
    const paid = findEntry(tx, charged.accountId, charged.n);
    if (!paid || paid.amount === 0) return;
    const occasion = occasionOf({ ...paid, take: take ?? null });
    const lie = this.#lies.acting('refund.of_success', occasion);
    if (!lie) return;
    refundAs(tx, this.#random, paid, { amount: -paid.amount, alteredBy: lie.lie });
    this.#keep(tx, { lie, occasion, ref: paid.jobId ?? entryName(paid), detail: `${entryName(paid)} was refunded` });
  }

  /** Charges it all the same, where a lie says so and the balance has as much. */
  async refuse({ accountId, operation, model, prices }: Bill): Promise<void> {
    await this.#database.transact((tx) => {
      const total = prices.reduce((sum, price) => sum + price, 0);
      const occasion = occasionOf({ accountId, operation, model });
      const lie = balanceOf(tx, accountId) < total ? undefined : this.#lies.acting('charge.blocked', occasion);
      if (!lie) return;
      for (const amount of prices) {
        const order = { accountId, amount, operation, model, jobId: null, alteredBy: lie.lie };
        this.#keepRefused(tx, charge(tx, this.#random, order), lie, occasion);
      }
    });
  }

  /** Leaves the charge, where a lie says so. */
  refundRefused(tx: Transaction, charges: readonly Entry[]): void {
    const [first] = charges;
    const occasion = first && occasionOf(first);
    const lie = occasion && this.#lies.isOn ? this.#lies.acting('charge.blocked', occasion) : undefined;
    for (const entry of charges) {
      if (lie && occasion) this.#keepRefused(tx, entry, lie, occasion);
      else this.#refundAll(tx, entry, findEntry(tx, entry.accountId, entry.n));
    }
  }

  /** The lie about a price under which an order is charged; undefined where it is charged as it has to be. */
  #liedBill(tx: Transaction, { prices, stored = 0, ...order }: Bill): LiedBill | undefined {
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
      const lie = can ? this.#lies.acting(name, occasion) : undefined;
      return lie ? [{ prices: lied, twice: name === 'charge.twice', lie }] : [];
    });
    return found[0];
  }

  /** One charge as a lie makes it. Where nothing is charged, its entry has no amount. */
  #chargeAs(tx: Transaction, order: Charge, { lie, twice }: LiedBill): Entry {
    const lied = (entry: Entry, detail: string): Entry => {
      this.#keep(tx, { lie, occasion: occasionOf(order), ref: order.jobId ?? entryName(entry), detail });
      return entry;
    };
    const altered = { ...order, alteredBy: lie.lie };
    if (order.amount === 0) return lied(charge(tx, this.#random, altered), 'nothing was charged');
    const entry = charge(tx, this.#random, order);
    const credits = counted(order.amount, 'credit');
    if (!twice) return lied(entry, `${credits} were charged`);
    const { balance } = charge(tx, this.#random, altered);
    return lied({ ...entry, balance, amount: 2 * entry.amount }, `${credits} were charged twice`);
  }

  /** Refunds what was charged: of a charge that a lie made twice both, of one of nothing nothing. */
  #refundAll(tx: Transaction, charged: Charged, paid: StoredEntry | undefined): void {
    if (paid?.amount === 0) return;
    this.#charges.refund(tx, charged);
    const twin = findTwin(tx, charged.accountId, charged.n);
    if (twin) refundAs(tx, this.#random, twin, { amount: -twin.amount, alteredBy: 'charge.twice' });
  }

  #actingOnRefund(tx: Transaction, paid: StoredEntry, job: NewJob | undefined): ActiveLie | undefined {
    const occasion = occasionOf({ ...paid, take: job?.take ?? null });
    const can: Record<string, () => boolean> = {
      'refund.one_of_two': () => job?.take === 2 && failsToo(tx, job),
      'refund.short': () => paid.amount <= -2,
    };
    return REFUND_LIES.map((name) => ((can[name]?.() ?? true) ? this.#lies.acting(name, occasion) : undefined)).find(
      Boolean,
    );
  }

  #keepRefused(tx: Transaction, entry: Entry, lie: ActiveLie, occasion: Occasion): void {
    this.#keep(tx, { lie, occasion, ref: entryName(entry), detail: 'a refused order was charged' });
  }

  /** Records what a lie has done to a row, and reports it once that is committed. */
  #keep(tx: Transaction, { lie, occasion, ref, detail }: Kept): void {
    insertLied(tx, { accountId: occasion.accountId, lie: lie.lie, ref, detail });
    tx.onCommit(() => this.#lies.countAct(lie, occasion));
  }
}

interface Kept {
  lie: ActiveLie;
  occasion: Occasion;
  ref: string;
  detail: string;
}

/** Whether the other take of a song has failed, or is to. */
function failsToo(tx: Transaction, job: NewJob): boolean {
  const other = findSiblingTake(tx, job);
  return other !== undefined && (other.status === 'failed' || (other.completed === null && other.failWith !== null));
}
