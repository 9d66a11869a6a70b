import { type PairTable, readPairTables } from './huffman-tables.ts';

/** Two tables for the same values: one for many small ones, one for many large ones. */
interface Choice {
  numbers: readonly [number, number];
  tables: readonly [PairTable, PairTable];
  /** Bits with signs, of the second table in the upper half; by the pair, in which 15 stands for more too. */
  costs: Uint32Array;
}

/** The table that takes the fewest bits. */
export interface BestTable {
  number: number;
  bits: number;
}

/** By the largest value: the tables that are tried, where none is added to 15. */
const UP_TO: readonly [most: number, numbers: readonly [number, number]][] = [
  [1, [1, 1]],
  [2, [2, 3]],
  [3, [5, 6]],
  [5, [7, 9]],
  [7, [10, 12]],
  [15, [13, 15]],
];
const ESCAPED = [16, 24] as const;
/** How many bits may be added to 15 in the eight tables from each of these on. */
const ADDED_BITS = [
  [1, 2, 3, 4, 6, 8, 10, 13],
  [4, 5, 6, 7, 8, 9, 11, 13],
] as const;
/** The largest value that can be coded. */
export const MOST_VALUE = 15 + 8191;

/** Chooses tables for the values of a region. */
export class PairTables {
  readonly #tables = readPairTables();
  readonly #byMost: readonly Choice[];
  readonly #escaped = this.#choice(ESCAPED);

  constructor() {
    const all = UP_TO.map(([, numbers]) => this.#choice(numbers));
    this.#byMost = Array.from({ length: 16 }, (_, value) => all[UP_TO.findIndex(([most]) => value <= most)] as Choice);
  }

  /** For the values between two even places. */
  best(values: Int32Array, from: number, to: number): BestTable {
    let most = 0;
    for (let i = from; i < to; i++) if ((values[i] as number) > most) most = values[i] as number;
    if (most === 0) return { number: 0, bits: 0 };
    if (most > 15) return this.#bestEscaped(values, [from, to], most - 15);
    const { numbers, costs } = this.#byMost[most] as Choice;
    let sum = 0;
    for (let i = from; i < to; i += 2) sum += costs[((values[i] as number) << 4) | (values[i + 1] as number)] as number;
    const [one, other] = [sum & 0xffff, sum >>> 16];
    return one <= other ? { number: numbers[0], bits: one } : { number: numbers[1], bits: other };
  }

  #bestEscaped(values: Int32Array, [from, to]: readonly [number, number], added: number): BestTable {
    const { costs } = this.#escaped;
    let [sum, escapes] = [0, 0];
    for (let i = from; i < to; i += 2) {
      let x = values[i] as number;
      let y = values[i + 1] as number;
      if (x > 14) {
        x = 15;
        escapes++;
      }
      if (y > 14) {
        y = 15;
        escapes++;
      }
      sum += costs[(x << 4) | y] as number;
    }
    const found = ADDED_BITS.map((bits, family) => {
      const at = bits.findIndex((size) => added < 1 << size);
      const own = family === 0 ? sum & 0xffff : sum >>> 16;
      return { number: (ESCAPED[family] as number) + at, bits: own + escapes * (bits[at] as number) };
    }) as [BestTable, BestTable];
    return found[0].bits <= found[1].bits ? found[0] : found[1];
  }

  #choice(numbers: readonly [number, number]): Choice {
    const tables = numbers.map((number) => this.codes(number)) as [PairTable, PairTable];
    const costs = Uint32Array.from({ length: 256 }, (_, pair) => {
      const signs = (pair > 15 ? 1 : 0) + ((pair & 15) > 0 ? 1 : 0);
      const [one = 0, other = 0] = tables.map(({ lengths }) => (lengths[pair] as number) + signs);
      return one | (other << 16);
    });
    return { numbers, tables, costs };
  }

  /** The codes of a table by its number. */
  codes(number: number): PairTable {
    return this.#tables.get(number < 16 ? number : number < 24 ? 16 : 24) as PairTable;
  }

  /** How many bits follow the code of a value of 15 or more. */
  added(number: number): number {
    return number < 16 ? 0 : ((ADDED_BITS[number < 24 ? 0 : 1]?.[number & 7] ?? 0) as number);
  }
}
