/** Texts up to this length are hashed whole; of longer ones both ends and an even sample between them. In UTF-16 units. */
const HASHED_WHOLE = 8192;
const END = 2048;
const SAMPLES = 1024;

/** A 32-bit hash of a text, mixed with `seed`; takes bounded time however long the text is. */
export function hashText(text: string, seed: number): number {
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

/** A fixed sequence of choices: the same seed chooses the same, always and everywhere. */
export class Picker {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  /** True `times` times `outOf`. */
  chance(times: number, outOf: number): boolean {
    return this.below(outOf) < times;
  }

  /** One of the list, which is not empty. */
  one<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError('A picker needs a list that is not empty.');
    return chosen;
  }
}
