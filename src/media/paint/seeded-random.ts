export function seededHash(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return mixBits(hash);
}

function mixBits(value: number): number {
  let bits = value >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** A stream of random numbers that depends only on its seed. It uses integers, so that all versions of Node agree. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    // Kept as a signed number, because V8 allocates memory for numbers over 31 bits.
    this.#state = mixBits(seed) | 0;
  }

  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mixBits(this.#state) / 4294967296;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next();
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError('There is nothing to pick from an empty list.');
    return chosen;
  }

  branch(name: string): SeededRandom {
    return new SeededRandom(seededHash(name, this.#state));
  }

  at(place: number): SeededRandom {
    return new SeededRandom(this.#state ^ Math.imul(place | 0, 0x9e3779b1));
  }
}

export function smoothNoise(seed: number, x: number): number {
  const cell = Math.floor(x);
  const t = x - cell;
  const eased = t * t * (3 - 2 * t);
  const from = lattice(seed, cell);
  return from + (lattice(seed, cell + 1) - from) * eased;
}

export function layeredNoise(seed: number, x: number, layers: number): number {
  let [sum, weight, total, scale] = [0, 1, 0, 1];
  for (let layer = 0; layer < layers; layer++) {
    sum += smoothNoise(seed + layer * 7919, x * scale) * weight;
    total += weight;
    weight *= 0.5;
    scale *= 2.1;
  }
  return sum / total;
}

function lattice(seed: number, cell: number): number {
  return mixBits(seed ^ Math.imul(cell | 0, 0x9e3779b1)) / 2147483648 - 1;
}

/** A sine with an error below 0.002, made of operations that round the same on every machine. */
export function approximateSine(turns: number): number {
  const t = turns - Math.floor(turns);
  const half = t < 0.5 ? t : t - 0.5;
  const arch = 16 * half * (0.5 - half);
  const sine = (4 * arch) / (5 - arch);
  return t < 0.5 ? sine : -sine;
}
