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
import type { ActiveViolation, Occasion } from './violation.ts';
import { findTwin, insertViolationMark } from './violation-store.ts';
import type { Violations } from './violations.ts';

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

/** How a violation about the price makes the charges of an order: `twice` writes each of them a second time. */
interface ViolatedBill {
  prices: readonly number[];
  twice: boolean;
  violation: ActiveViolation;
}

export interface ViolatingChargesParts {
  charges: Charges;
  violations: Violations;
  random: Random;
  database: Database;
}

const REFUND_VIOLATIONS = ['refund.none', 'refund.one_of_two', 'refund.short', 'refund.twice'];

/** Charges and refunds, or what a violation makes of them. */
export class ViolatingCharges implements Charges {
  readonly #charges: Charges;
  readonly #violations: Violations;
  readonly #random: Random;
  readonly #database: Database;

  constructor({ charges, violations, random, database }: ViolatingChargesParts) {
    this.#charges = charges;
    this.#violations = violations;
    this.#random = random;
    this.#database = database;
  }

  /** The seam: what violations have charged is refunded in full also when they are over. */
  static seam(parts: ViolatingChargesParts): Charges {
    const violating = new ViolatingCharges(parts);
    const left: Pick<Charges, 'refund' | 'refundRefused'> = {
      refund: (...given) => violating.refund(...given),
      refundRefused: (...given) => violating.refundRefused(...given),
    };
    const acting: Charges = {
      ...left,
      charge: (...given) => violating.charge(...given),
      keep: (...given) => violating.keep(...given),
      refuse: (...given) => violating.refuse(...given),
    };
    return parts.violations.switched({ ...parts.charges, ...left }, acting);
  }

  charge(tx: Transaction, bill: Bill): Entry[] {
    const violated = this.#violatedBill(tx, bill);
    if (!violated) return this.#charges.charge(tx, bill);
    const { accountId, operation, model, requestId } = bill;
    requireTotal(tx, violated.prices, accountId);
    return violated.prices.map((amount) => {
      const jobId = bill.ofJobs ? nextId(tx, this.#random, 'job', accountId) : null;
      return this.#chargeAs(tx, { accountId, amount, operation, model, jobId, requestId }, violated);
    });
  }

  refund(tx: Transaction, charged: Charged, job?: NewJob): void {
    const paid = findEntry(tx, charged.accountId, charged.n);
    const violation =
      this.#violations.isOn && paid && paid.amount !== 0 ? this.#actingOnRefund(tx, paid, job) : undefined;
    if (!violation || !paid) {
      this.#refundAll(tx, charged, paid);
      return;
    }
    const amount = -paid.amount;
    if (violation.violation === 'refund.short')
      refundAs(tx, this.#random, paid, { amount: amount - 1, violation: violation.violation });
    if (violation.violation === 'refund.twice') {
      this.#charges.refund(tx, charged, job);
      refundAs(tx, this.#random, paid, { amount, violation: violation.violation });
    }
    const occasion = occasionOf({ ...paid, take: job?.take ?? null });
    const detail = `${violation.violation} of ${entryName(paid)}`;
    this.#keep(tx, { violation, occasion, ref: paid.jobId ?? entryName(paid), detail });
  }

  /** Refunds work that succeeded, where a violation says so. */
  keep(tx: Transaction, charged: Charged, take?: number | null): void {
    const paid = findEntry(tx, charged.accountId, charged.n);
    if (!paid || paid.amount === 0) return;
    const occasion = occasionOf({ ...paid, take: take ?? null });
    const violation = this.#violations.acting('refund.of_success', occasion);
    if (!violation) return;
    refundAs(tx, this.#random, paid, { amount: -paid.amount, violation: violation.violation });
    this.#keep(tx, {
      violation,
      occasion,
      ref: paid.jobId ?? entryName(paid),
      detail: `${entryName(paid)} was refunded`,
    });
  }

  /** Charges it all the same, where a violation says so and the balance has as much. */
  async refuse({ accountId, operation, model, prices }: Bill): Promise<void> {
    await this.#database.transact((tx) => {
      const total = prices.reduce((sum, price) => sum + price, 0);
      const occasion = occasionOf({ accountId, operation, model });
      const violation =
        balanceOf(tx, accountId) < total ? undefined : this.#violations.acting('charge.blocked', occasion);
      if (!violation) return;
      for (const amount of prices) {
        const order = { accountId, amount, operation, model, jobId: null, violation: violation.violation };
        this.#keepRefused(tx, charge(tx, this.#random, order), violation, occasion);
      }
    });
  }

  /** Leaves the charge, where a violation says so. */
  refundRefused(tx: Transaction, charges: readonly Entry[]): void {
    const [first] = charges;
    const occasion = first && occasionOf(first);
    const violation =
      occasion && this.#violations.isOn ? this.#violations.acting('charge.blocked', occasion) : undefined;
    for (const entry of charges) {
      if (violation && occasion) this.#keepRefused(tx, entry, violation, occasion);
      else this.#refundAll(tx, entry, findEntry(tx, entry.accountId, entry.n));
    }
  }

  /** The violation about a price under which an order is charged; undefined where it is charged as it has to be. */
  #violatedBill(tx: Transaction, { prices, stored = 0, ...order }: Bill): ViolatedBill | undefined {
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
    const found = Object.entries(bills).flatMap(([name, { can, prices: violated }]) => {
      const violation = can ? this.#violations.acting(name, occasion) : undefined;
      return violation ? [{ prices: violated, twice: name === 'charge.twice', violation }] : [];
    });
    return found[0];
  }

  /** One charge as a violation makes it. Where nothing is charged, its entry has no amount. */
  #chargeAs(tx: Transaction, order: Charge, { violation, twice }: ViolatedBill): Entry {
    const violated = (entry: Entry, detail: string): Entry => {
      this.#keep(tx, { violation, occasion: occasionOf(order), ref: order.jobId ?? entryName(entry), detail });
      return entry;
    };
    const altered = { ...order, violation: violation.violation };
    if (order.amount === 0) return violated(charge(tx, this.#random, altered), 'nothing was charged');
    const entry = charge(tx, this.#random, order);
    const credits = counted(order.amount, 'credit');
    if (!twice) return violated(entry, `${credits} were charged`);
    const { balance } = charge(tx, this.#random, altered);
    return violated({ ...entry, balance, amount: 2 * entry.amount }, `${credits} were charged twice`);
  }

  /** Refunds what was charged: of a charge that a violation made twice both, of one of nothing nothing. */
  #refundAll(tx: Transaction, charged: Charged, paid: StoredEntry | undefined): void {
    if (paid?.amount === 0) return;
    this.#charges.refund(tx, charged);
    const twin = findTwin(tx, charged.accountId, charged.n);
    if (twin) refundAs(tx, this.#random, twin, { amount: -twin.amount, violation: 'charge.twice' });
  }

  #actingOnRefund(tx: Transaction, paid: StoredEntry, job: NewJob | undefined): ActiveViolation | undefined {
    const occasion = occasionOf({ ...paid, take: job?.take ?? null });
    const can: Record<string, () => boolean> = {
      'refund.one_of_two': () => job?.take === 2 && failsToo(tx, job),
      'refund.short': () => paid.amount <= -2,
    };
    return REFUND_VIOLATIONS.map((name) =>
      (can[name]?.() ?? true) ? this.#violations.acting(name, occasion) : undefined,
    ).find(Boolean);
  }

  #keepRefused(tx: Transaction, entry: Entry, violation: ActiveViolation, occasion: Occasion): void {
    this.#keep(tx, { violation, occasion, ref: entryName(entry), detail: 'a refused order was charged' });
  }

  /** Records what a violation has done to a row, and reports it once that is committed. */
  #keep(tx: Transaction, { violation, occasion, ref, detail }: Kept): void {
    insertViolationMark(tx, { accountId: occasion.accountId, violation: violation.violation, ref, detail });
    tx.onCommit(() => this.#violations.countAct(violation, occasion));
  }
}

interface Kept {
  violation: ActiveViolation;
  occasion: Occasion;
  ref: string;
  detail: string;
}

/** Whether the other take of a song has failed, or is to. */
function failsToo(tx: Transaction, job: NewJob): boolean {
  const other = findSiblingTake(tx, job);
  return other !== undefined && (other.status === 'failed' || (other.completed === null && other.failWith !== null));
}
