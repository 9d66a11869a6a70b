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

/** A code's length in bits, and its bits. */
export type Pair = readonly [size: number, bits: number];

/** `coeff_token`: by coefficients, then by trailing ones. The classes are 0 to 1, 2 to 3, and 4 to 7 coefficients beside. */
const FEW =
  '1 1|6 5,2 1|8 7,6 4,3 1|9 7,8 6,7 5,5 3|10 7,9 6,8 5,6 3|11 7,10 6,9 5,7 4|13 15,11 6,10 5,8 4|13 11,13 14,11 5,9 4|' +
  '13 8,13 10,13 13,10 4|14 15,14 14,13 9,11 4|14 11,14 10,14 13,13 12|15 15,15 14,14 9,14 12|15 11,15 10,15 13,14 8|' +
  '16 15,15 1,15 9,15 12|16 11,16 14,16 13,15 8|16 7,16 10,16 9,16 12|16 4,16 6,16 5,16 8';
const SOME =
  '2 3|6 11,2 2|6 7,5 7,3 3|7 7,6 10,6 9,4 5|8 7,6 6,6 5,4 4|8 4,7 6,7 5,5 6|9 7,8 6,8 5,6 8|11 15,9 6,9 5,6 4|' +
  '11 11,11 14,11 13,7 4|12 15,11 10,11 9,9 4|12 11,12 14,12 13,11 12|12 8,12 10,12 9,11 8|13 15,13 14,13 13,12 12|' +
  '13 11,13 10,13 9,13 12|13 7,14 11,13 6,13 8|14 9,14 8,14 10,13 1|14 7,14 6,14 5,14 4';
const MANY =
  '4 15|6 15,4 14|6 11,5 15,4 13|6 8,5 12,5 14,4 12|7 15,5 10,5 11,4 11|7 11,5 8,5 9,4 10|7 9,6 14,6 13,4 9|' +
  '7 8,6 10,6 9,4 8|8 15,7 14,7 13,5 13|8 11,8 14,7 10,6 12|9 15,8 10,8 13,7 12|9 11,9 14,8 9,8 12|9 8,9 10,9 13,8 8|' +
  '10 13,9 7,9 9,9 12|10 9,10 12,10 11,10 10|10 5,10 8,10 7,10 6|10 1,10 4,10 3,10 2';
const CHROMA = '2 1|6 7,1 1|6 4,6 6,3 1|6 3,7 3,7 2,6 5|6 2,8 3,8 2,7 0';

/** The class of 8 coefficients and more, and that of a colour's four means. */
export const MOST = 3;
export const CHROMA_MEANS = 4;

/** By class, coefficients and trailing ones. */
export const TOKENS: readonly (readonly (readonly Pair[])[])[] = [
  rows(FEW),
  rows(SOME),
  rows(MANY),
  fixed(),
  rows(CHROMA),
];

/** `total_zeros`: by coefficients (from 1 on), then by zeros; of a block of 4 × 4, and of a colour's means. */
export const ZEROS = rows(
  '1 1,3 3,3 2,4 3,4 2,5 3,5 2,6 3,6 2,7 3,7 2,8 3,8 2,9 3,9 2,9 1|' +
    '3 7,3 6,3 5,3 4,3 3,4 5,4 4,4 3,4 2,5 3,5 2,6 3,6 2,6 1,6 0|4 5,3 7,3 6,3 5,4 4,4 3,3 4,3 3,4 2,5 3,5 2,6 1,5 1,6 0|' +
    '5 3,3 7,4 5,4 4,3 6,3 5,3 4,4 3,3 3,4 2,5 2,5 1,5 0|4 5,4 4,4 3,3 7,3 6,3 5,3 4,3 3,4 2,5 1,4 1,5 0|' +
    '6 1,5 1,3 7,3 6,3 5,3 4,3 3,3 2,4 1,3 1,6 0|6 1,5 1,3 5,3 4,3 3,2 3,3 2,4 1,3 1,6 0|6 1,4 1,5 1,3 3,2 3,2 2,3 2,3 1,6 0|' +
    '6 1,6 0,4 1,2 3,2 2,3 1,2 1,5 1|5 1,5 0,3 1,2 3,2 2,2 1,4 1|4 0,4 1,3 1,3 2,1 1,3 3|4 0,4 1,2 1,1 1,3 1|' +
    '3 0,3 1,1 1,2 1|2 0,2 1,1 1|1 0,1 1',
);
export const CHROMA_ZEROS = rows('1 1,2 1,3 1,3 0|1 1,2 1,2 0|1 1,1 0');

/** `run_before`, by the zeros that are left; there are never more than six of another length. */
export const RUNS = rows(
  '1 1,1 0|1 1,2 1,2 0|2 3,2 2,2 1,2 0|2 3,2 2,2 1,3 1,3 0|2 3,2 2,3 3,3 2,3 1,3 0|2 3,3 0,3 1,3 3,3 2,3 5,3 4|' +
    '3 7,3 6,3 5,3 4,3 3,3 2,3 1,4 1,5 1,6 1,7 1,8 1,9 1,10 1,11 1',
);

function rows(text: string): Pair[][] {
  return text.split('|').map((row) => row.split(',').map((pair) => pair.split(' ').map(Number) as [number, number]));
}

/** Of eight coefficients and more each code has six bits. */
function fixed(): Pair[][] {
  const of = (count: number) => [0, 1, 2, 3].slice(0, count + 1).map((ones) => [6, ((count - 1) << 2) | ones] as const);
  return [[[6, 3]], ...Array.from({ length: 16 }, (_, at) => of(at + 1))];
}
