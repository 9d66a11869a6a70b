import { createHash, createHmac, hash, randomBytes } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** How many stems are remembered. */
const MOST_STEMS = 10_000;

/**
 * The only source of randomness. Names and chances are derived: a value depends on the seed, its owner, its kind and a number
 * that the owner persists, so that the order of the requests of other accounts changes nothing. Secrets are unpredictable
 * unless a seed was given.
 */
export class Random {
  readonly #root: string;
  readonly #seeded: boolean;
  readonly #instance = randomBytes(6).toString('hex');
  readonly #stems = new Map<string, string>();
  #requests = 0;

  /** `seed`: the user's own, which makes keys, secrets and tokens repeatable too. */
  constructor(seed?: number) {
    this.#seeded = seed !== undefined;
    this.#root = createHash('sha256')
      .update(`svc-emulator:${seed ?? 0}`)
      .digest('hex');
  }

  /** 96 bits in hex, always the same for the same seed, scope, kind and n. */
  name(scope: string, kind: string, n: number): string {
    return hash('sha256', `${this.#root}:${scope}:${kind}:${n}`, 'hex').slice(0, 24);
  }

  /** 64 bits in hex, which all names of a kind within a scope have in common. */
  stem(scope: string, kind: string): string {
    const key = `${scope}:${kind}`;
    const known = this.#stems.get(key);
    if (known) return known;
    if (this.#stems.size >= MOST_STEMS) this.#stems.clear();
    const stem = this.name(scope, kind, 0).slice(0, 16);
    this.#stems.set(key, stem);
    return stem;
  }

  /** A share in [0, 1), always the same for the same seed, scope, kind and n. */
  chance(scope: string, kind: string, n: number): number {
    return Number.parseInt(this.name(scope, kind, n).slice(0, 12), 16) / 2 ** 48;
  }

  /** 32 unpredictable bytes; repeatable only with a seed. */
  secret(scope: string, kind: string, n: number): Buffer {
    if (!this.#seeded) return randomBytes(32);
    return createHmac('sha256', this.#root).update(`${scope}:${kind}:${n}`).digest();
  }

  /** `length` unpredictable base-62 characters; repeatable only with a seed. */
  token(scope: string, kind: string, n: number, length = 32): string {
    const wide = this.secret(scope, kind, n).toString('hex');
    return base62(BigInt(`0x${wide}`), length);
  }

  /** A unique id of a request, on which no answer depends. */
  requestId(): string {
    this.#requests += 1;
    return `req_${this.#instance}${this.#requests.toString(36).padStart(7, '0')}`;
  }

  /** A name for a temporary file: unique among all processes. */
  scratchName(): string {
    return randomBytes(9).toString('hex');
  }
}

/** Which request of its run an id names, from 1; undefined for what is no such id. */
export function requestNumber(id: string): number | undefined {
  return REQUEST.test(id) ? Number.parseInt(id.slice(-7), 36) : undefined;
}

/** What the ids of all requests of one run have in common. */
export function requestRun(id: string): string {
  return id.slice(4, 16);
}

const REQUEST = /^req_[0-9a-f]{12}[0-9a-z]{7}$/;

function base62(value: bigint, length: number): string {
  const digits = Array.from({ length }, (_, place) => BASE62.charAt(Number((value / 62n ** BigInt(place)) % 62n)));
  return digits.join('');
}
