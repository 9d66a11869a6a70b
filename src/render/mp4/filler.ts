/** Header and end of a unit of filler data, and its length before it. */
const LEAST = 6;
const FILLER_DATA = 12;
const END = 0x80;

/** The pictures with `bytes` more of data that decoders pass over, spread evenly; fewer than one unit takes are left out. */
export function fillUp(samples: readonly Buffer[][], bytes: number): Buffer[][] {
  const count = Math.min(samples.length, Math.floor(bytes / LEAST));
  if (count <= 0) return [...samples];
  const each = Math.floor(bytes / count);
  const usual = filler(each);
  const first = filler(bytes - each * (count - 1));
  return samples.map((units, i) => (i < count ? [...units, i === 0 ? first : usual] : units));
}

function filler(bytes: number): Buffer {
  const unit = Buffer.alloc(bytes - 4, 0xff);
  unit[0] = FILLER_DATA;
  unit[unit.length - 1] = END;
  return unit;
}
