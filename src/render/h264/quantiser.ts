/** The quantiser of key pictures, 21: three times doubled, and the fourth of six steps. */
export const KEY_QUANTISER = 21;
const DOUBLED = 3;
/** Of the transform, by place: both even, both odd, and others. */
export const FACTORS = byPlace(9362, 3647, 5825);
/** And of its reverse. */
export const STEPS = byPlace(14, 23, 18).map((step) => step << DOUBLED);
export const SHIFT = 15 + DOUBLED;
/** Rounded up from two thirds on, as is usual where nothing has been predicted from other pictures. */
export const ROUNDING = Math.floor((1 << SHIFT) / 3);

export const MEAN_STEP = STEPS[0] as number;

/** The colour of a block that has only one; -1 for others. */
export function plainColour(words: Int32Array, at: number, wide: number): number {
  const four = words[at] as number;
  const colour = four & 255;
  if (four !== Math.imul(colour, 0x01010101)) return -1;
  if (words[at + wide] !== four || words[at + 2 * wide] !== four || words[at + 3 * wide] !== four) return -1;
  return colour;
}

/** How far four pixels are apart from four others. */
export function apart(four: number, others: number): number {
  if (four === others) return 0;
  const light = four & 255;
  const other = others & 255;
  if (four === Math.imul(light, 0x01010101) && others === Math.imul(other, 0x01010101)) {
    return 4 * Math.abs(light - other);
  }
  return (
    Math.abs(light - other) +
    Math.abs(((four >> 8) & 255) - ((others >> 8) & 255)) +
    Math.abs(((four >> 16) & 255) - ((others >> 16) & 255)) +
    Math.abs((four >>> 24) - (others >>> 24))
  );
}

/** The level of a sum of means. */
export function meanLevel(sum: number): number {
  const size = (Math.abs(sum) * (FACTORS[0] as number) + 2 * ROUNDING) >> (SHIFT + 1);
  return sum < 0 ? -size : size;
}

export function invert(values: Int32Array, at: number, step: number): void {
  const a = values[at] as number;
  const b = values[at + step] as number;
  const c = values[at + 2 * step] as number;
  const d = values[at + 3 * step] as number;
  const [sum, apart, less, more] = [a + c, a - c, (b >> 1) - d, b + (d >> 1)];
  values[at] = sum + more;
  values[at + step] = apart + less;
  values[at + 2 * step] = apart - less;
  values[at + 3 * step] = sum - more;
}

export function clipped(light: number): number {
  return light < 0 ? 0 : light > 255 ? 255 : light;
}

function byPlace(even: number, odd: number, other: number): number[] {
  return Array.from({ length: 16 }, (_, place) => {
    const count = (place & 1) + ((place >> 2) & 1);
    return count === 0 ? even : count === 2 ? odd : other;
  });
}
