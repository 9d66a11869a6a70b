/**
 * Deflates rows of palette places into a zlib stream. Drawn pictures are runs and repetitions of the row above, so only
 * those two are looked for, which is faster than a general search; and unlike zlib's, the result is the same on every
 * machine and version.
 */
export function deflateRows(picture: Uint8Array, width: number): Buffer {
  const pixels = Buffer.from(picture.buffer, picture.byteOffset, picture.length);
  const rows = pixels.length / width;
  const above = distanceCode(width + 1);
  const writer = new BitBuffer(1 << 18);
  const sum: Adler = { low: 1, high: 0, rowSum: 0, rowWeight: 0 };
  writer.put(0x0178, 16);
  writer.put(0b011, 3);
  for (let row = 0; row < rows; row++) {
    writer.reserve(2 * width + 64);
    writer.put(LITERAL_BITS[0] ?? 0, 8);
    sum.high += sum.low;
    const [start, end] = [row * width, (row + 1) * width];
    if (
      row === 0 ||
      pixels.subarray(start, end).compare(pixels.subarray(start - width, start)) !== 0
    ) {
      deflateRow(pixels, { start, end, above }, writer);
      measureRow(pixels, start, end, sum);
    } else {
      for (let rest = width; rest > 0; rest -= LONGEST)
        writer.repeat(Math.min(rest, LONGEST), above);
    }
    addRow(width, sum);
  }
  writer.put(0, 7);
  return writer.finish(sum.high * 65536 + sum.low);
}

interface Distance {
  bits: number;
  size: number;
}

interface Row {
  start: number;
  end: number;
  above: Distance;
}

/** Codes with their extra bits, lowest bit first, by length of a match (3 to 258). */
const LENGTH_BITS = new Uint32Array(259);
const LENGTH_SIZES = new Uint8Array(259);
const LITERAL_BITS = new Uint32Array(256);
const LITERAL_SIZES = new Uint8Array(256);
prepareLengths();
prepareLiterals();

const LONGEST = 258;
/** With a run this long a look at the row above is not worth its time. */
const GOOD_RUN = 24;
const ADLER = 65521;

function deflateRow(pixels: Uint8Array, { start, end, above }: Row, writer: BitBuffer): void {
  const width = end - start;
  let at = start;
  while (at < end) {
    const value = pixels[at] ?? 0;
    let run = at;
    if (at > start && pixels[at - 1] === value) {
      const last = Math.min(end, at + LONGEST);
      do run++;
      while (run < last && pixels[run] === value);
    }
    let same = at;
    if (start > 0 && run - at < GOOD_RUN) {
      const last = Math.min(end, at + LONGEST);
      while (same < last && pixels[same] === pixels[same - width]) same++;
    }
    if (same - at > 3 && same > run + 1) {
      writer.repeat(same - at, above);
      at = same;
    } else if (run - at > 2) {
      writer.put(LENGTH_BITS[run - at] ?? 0, (LENGTH_SIZES[run - at] ?? 7) + 5);
      at = run;
    } else {
      writer.put(LITERAL_BITS[value] ?? 0, LITERAL_SIZES[value] ?? 8);
      at++;
    }
  }
}

/** The checksum of zlib streams, and what one row adds to it. */
interface Adler {
  low: number;
  high: number;
  rowSum: number;
  rowWeight: number;
}

function measureRow(pixels: Uint8Array, start: number, end: number, sum: Adler): void {
  let plain = 0;
  let weighted = 0;
  for (let at = start; at < end; at++) {
    plain = (plain + (pixels[at] ?? 0)) | 0;
    weighted = (weighted + plain) | 0;
  }
  sum.rowSum = plain;
  sum.rowWeight = weighted;
}

function addRow(width: number, sum: Adler): void {
  sum.high = (sum.high + sum.low * width + sum.rowWeight) % ADLER;
  sum.low = (sum.low + sum.rowSum) % ADLER;
}

/** Bits packed from the lowest up. */
class BitBuffer {
  bytes: Buffer;
  length = 0;
  held = 0;
  count = 0;

  constructor(size: number) {
    this.bytes = Buffer.allocUnsafe(size);
  }

  /** Makes room for so many bytes. */
  reserve(more: number): void {
    const needed = this.length + more;
    if (needed > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes], Math.max(needed, this.bytes.length * 2));
    }
  }

  put(bits: number, size: number): void {
    let held = this.held | (bits << this.count);
    let count = this.count + size;
    while (count >= 8) {
      this.bytes[this.length++] = held & 255;
      held >>>= 8;
      count -= 8;
    }
    this.held = held;
    this.count = count;
  }

  /** A match of so many bytes (3 to 258; shorter ones cannot be said) at a distance. */
  repeat(length: number, distance: Distance): void {
    this.put(LENGTH_BITS[length] ?? 0, LENGTH_SIZES[length] ?? 7);
    this.put(distance.bits, distance.size);
  }

  finish(checksum: number): Buffer {
    this.reserve(8);
    this.put(0, (8 - this.count) & 7);
    this.length = this.bytes.writeUInt32BE(checksum, this.length);
    return this.bytes.subarray(0, this.length);
  }
}

function prepareLiterals(): void {
  for (let value = 0; value < 256; value++) {
    const size = value < 144 ? 8 : 9;
    LITERAL_SIZES[value] = size;
    LITERAL_BITS[value] = mirror(value < 144 ? 0x30 + value : 0x190 + value - 144, size);
  }
}

function prepareLengths(): void {
  let [length, symbol] = [3, 257];
  while (symbol < 285) {
    const extra = symbol < 265 ? 0 : (symbol - 261) >> 2;
    const size = symbol < 280 ? 7 : 8;
    const code = mirror(symbol < 280 ? symbol - 256 : 0xc0 + symbol - 280, size);
    for (let more = 0; more < 1 << extra; more++, length++) {
      LENGTH_BITS[length] = code | (more << size);
      LENGTH_SIZES[length] = size + extra;
    }
    symbol++;
  }
  LENGTH_BITS[LONGEST] = mirror(0xc5, 8);
  LENGTH_SIZES[LONGEST] = 8;
}

function distanceCode(distance: number): Distance {
  let [base, symbol, extra] = [1, 0, 0];
  while (base + (1 << extra) <= distance) {
    base += 1 << extra;
    symbol++;
    extra = symbol < 4 ? 0 : (symbol - 2) >> 1;
  }
  return { bits: mirror(symbol, 5) | ((distance - base) << 5), size: 5 + extra };
}

function mirror(code: number, size: number): number {
  let mirrored = 0;
  for (let bit = 0; bit < size; bit++) mirrored |= ((code >> bit) & 1) << (size - 1 - bit);
  return mirrored;
}
