import { type Pair, RUNS, TOKENS, ZEROS } from './coefficient-tables.ts';

/** Bits of a code and how many they are, in turn. */
export type Code = number[];

/** So many coefficients of a block are kept at most: what falls needs no more. */
export const MOST_COEFFICIENTS = 4;
/** Of those from which follows which table codes their number: 0 to 1, 2 to 3, 4. */
export const NEIGHBOUR_CLASSES = 3;

/** What codes a block of 16 levels in their scanning order (CAVLC), among neighbours of a class. */
export function codeBlock(levels: readonly number[], neighbours: number): Code {
  const kept = [...levels.entries()].filter(([, level]) => level !== 0).reverse();
  const ones = trailingOnes(kept.map(([, level]) => level));
  const code: Code = [];
  put(code, TOKENS[neighbours]?.[kept.length]?.[ones]);
  for (const [, level] of kept.slice(0, ones)) put(code, [1, level < 0 ? 1 : 0]);
  putLevels(
    code,
    kept.slice(ones).map(([, level]) => level),
    ones,
  );
  if (kept.length > 0)
    putPlaces(
      code,
      kept.map(([at]) => at),
    );
  return code;
}

function trailingOnes(levels: readonly number[]): number {
  const other = levels.findIndex((level) => Math.abs(level) !== 1);
  return Math.min(3, other < 0 ? levels.length : other);
}

function putLevels(code: Code, levels: readonly number[], ones: number): void {
  let suffix = 0;
  for (const [at, level] of levels.entries()) {
    // The first that is not one of the ones is no one, unless there are three of them already.
    const known = at === 0 && ones < 3 ? 2 : 0;
    const value = (level > 0 ? 2 * level - 2 : -2 * level - 1) - known;
    putLevel(code, value, suffix);
    if (suffix === 0) suffix = 1;
    if (Math.abs(level) > 3 << (suffix - 1)) suffix++;
  }
}

/** A prefix of zeros and a one, and the rest in so many bits as the levels before have led to; large ones in 12. */
function putLevel(code: Code, value: number, suffix: number): void {
  const prefix = suffix === 0 ? (value < 14 ? value : value < 30 ? 14 : 15) : Math.min(15, value >> suffix);
  const rest = prefix === 15 ? 12 : suffix === 0 && prefix === 14 ? 4 : suffix;
  const least = suffix === 0 ? (prefix === 15 ? 30 : prefix) : prefix << suffix;
  put(code, [prefix + 1, 1]);
  if (rest > 0) put(code, [rest, value - least]);
}

/** How many zeros lie below the last of them, and before each. */
function putPlaces(code: Code, places: readonly number[]): void {
  let zeros = (places[0] ?? 0) + 1 - places.length;
  put(code, ZEROS[places.length - 1]?.[zeros]);
  for (let at = 0; at + 1 < places.length && zeros > 0; at++) {
    const run = (places[at] ?? 0) - (places[at + 1] ?? 0) - 1;
    put(code, RUNS[Math.min(zeros, RUNS.length) - 1]?.[run]);
    zeros -= run;
  }
}

/** Parts of at most 24 bits, so that few have to be written. */
function put(code: Code, pair: Pair | undefined): void {
  if (!pair) throw new RangeError('There is no code for such a block.');
  const [size, bits] = pair;
  const last = code.length - 1;
  const held = code[last] ?? 24;
  if (held + size > 24) {
    code.push(bits, size);
    return;
  }
  code[last - 1] = ((code[last - 1] ?? 0) << size) | bits;
  code[last] = held + size;
}
