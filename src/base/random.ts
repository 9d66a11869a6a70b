import { createHash, createHmac, hash, randomBytes } from 'node:crypto';
import { ID_STEM_DIGITS, IdStems, RequestIds } from './database/id-store.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Makes ids, chances, secrets and tokens. Names and chances derive from the seed, an owner, a kind and a number, so
 * requests of other accounts do not change them.
 */
export class Random {
  readonly #root: string;
  readonly #seeded: boolean;
  readonly stems = new IdStems((owner, kind) => this.name(owner, kind, 0).slice(0, ID_STEM_DIGITS));
  readonly requestIds = new RequestIds(randomBytes(6).toString('hex'));

  /** A given `seed` makes keys, secrets and tokens repeatable. Otherwise they are unpredictable. */
  constructor(seed?: number) {
    this.#seeded = seed !== undefined;
    this.#root = createHash('sha256')
      .update(`svc-emulator:${seed ?? 0}`)
      .digest('hex');
  }

  name(scope: string, kind: string, n: number): string {
    return hash('sha256', `${this.#root}:${scope}:${kind}:${n}`, 'hex').slice(0, 24);
  }

  chance(scope: string, kind: string, n: number): number {
    return Number.parseInt(this.name(scope, kind, n).slice(0, 12), 16) / 2 ** 48;
  }

  secret(scope: string, kind: string, n: number): Buffer {
    if (!this.#seeded) return randomBytes(32);
    return createHmac('sha256', this.#root).update(`${scope}:${kind}:${n}`).digest();
  }

  token(scope: string, kind: string, n: number, length = 32): string {
    const wide = this.secret(scope, kind, n).toString('hex');
    return base62(BigInt(`0x${wide}`), length);
  }

  scratchName(): string {
    return randomBytes(9).toString('hex');
  }
}

function base62(value: bigint, length: number): string {
  let digits = '';
  for (let left = value; digits.length < length; left /= 62n) digits += BASE62.charAt(Number(left % 62n));
  return digits;
}

/** In UTF-16 units. Longer texts are hashed in samples, so that hashing takes bounded time. */
const HASHED_WHOLE = 8192;
const END = 2048;
const SAMPLES = 1024;

export function hashSampledText(text: string, seed: number): number {
  if (text.length <= HASHED_WHOLE) return hashRange(text, [0, text.length, 1], seed);
  const step = Math.floor((text.length - 2 * END) / SAMPLES);
  let hash = hashRange(text, [0, END, 1], seed ^ text.length);
  hash = hashRange(text, [END, text.length - END, step], hash);
  return hashRange(text, [text.length - END, text.length, 1], hash);
}

function hashRange(text: string, [from, to, step]: [number, number, number], seed: number): number {
  let hash = seed ^ 0x811c9dc5;
  for (let at = from; at < to; at += step) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

export class SeededPicker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  chance(times: number, outOf: number): boolean {
    return this.below(outOf) < times;
  }

  one<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError('A picker needs a list that is not empty.');
    return chosen;
  }
}
