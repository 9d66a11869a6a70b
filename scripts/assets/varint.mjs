/** A whole number from 0 as bytes of seven bits, the lowest first; all but the last have their highest bit set. */
export function varint(value) {
  const bytes = [];
  let rest = value;
  while (rest > 127) {
    bytes.push((rest & 127) | 128);
    rest >>>= 7;
  }
  return [...bytes, rest];
}

/** Any whole number as one from 0, so that small ones of either sign stay small. */
export function zigzag(value) {
  return value < 0 ? -2 * value - 1 : 2 * value;
}
