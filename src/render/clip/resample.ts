/** One value for each pixel, row by row. */
export interface Plane {
  bytes: Uint8Array;
  /** Where the first value is, and how many a row takes. */
  start: number;
  stride: number;
  width: number;
  height: number;
}

/** Where the values of a target lie in a source: the first one's middle, and from one to the next, in pixels. */
export interface Spread {
  x: number;
  y: number;
  across: number;
  down: number;
}

/** Between two neighbours there are so many places. */
const PARTS = 256;
const ROUND = 1 << 15;

/** Fills a target with what lies at the places of its values, blended from the four neighbours. Beyond the rim the rim goes on. */
export function resample(source: Plane, target: Plane, spread: Spread): void {
  const columns = places(target.width, spread.x, spread.across, source.width);
  const lines = places(target.height, spread.y, spread.down, source.height);
  let [above, below] = [new Uint16Array(target.width), new Uint16Array(target.width)];
  let [held, next] = [-1, -1];
  for (let row = 0; row < target.height; row++) {
    const place = lines[row] ?? 0;
    const line = Math.floor(place / PARTS);
    const follower = Math.min(line + 1, source.height - 1);
    if (line === next) {
      [above, below, held, next] = [below, above, next, held];
    }
    if (line !== held) stretch(source, line, columns, above);
    if (follower !== next) stretch(source, follower, columns, below);
    [held, next] = [line, follower];
    blendRows(above, below, place % PARTS, { target, row });
  }
}

/** Places in a row or column of `length` values, in parts. */
function places(count: number, first: number, step: number, length: number): Int32Array {
  const most = (length - 1) * PARTS;
  return Int32Array.from({ length: count }, (_, at) => {
    const place = Math.round((first + at * step - 0.5) * PARTS);
    return Math.max(0, Math.min(most, place));
  });
}

/** One row of the source at the columns' places, each value times `PARTS`. */
function stretch(source: Plane, line: number, columns: Int32Array, out: Uint16Array): void {
  const { bytes, start, stride, width } = source;
  const from = start + line * stride;
  const last = from + width - 1;
  for (let x = 0; x < out.length; x++) {
    const place = columns[x] ?? 0;
    const at = from + (place >> 8);
    const share = place & (PARTS - 1);
    const value = bytes[at] ?? 0;
    const beside = at < last ? (bytes[at + 1] ?? 0) : value;
    out[x] = value * PARTS + (beside - value) * share;
  }
}

function blendRows(
  above: Uint16Array,
  below: Uint16Array,
  share: number,
  { target, row }: { target: Plane; row: number },
): void {
  const { bytes, start, stride, width } = target;
  const to = start + row * stride;
  if (share === 0) {
    for (let x = 0; x < width; x++) bytes[to + x] = ((above[x] ?? 0) + PARTS / 2) >> 8;
    return;
  }
  for (let x = 0; x < width; x++) {
    const value = above[x] ?? 0;
    bytes[to + x] = (value * PARTS + ((below[x] ?? 0) - value) * share + ROUND) >> 16;
  }
}
