/**
 * Deflates rows of palette places into a zlib stream. Drawn pictures are runs and repetitions of the row above, so only
 * those two are looked for, which is faster than a general search; and unlike zlib's, the result is the same on every
 * machine and version.
 */
export function deflateRows(pixels: Uint8Array, width: number): Buffer {
  return new RowDeflater(pixels, width).finish();
}

/** Codes with their extra bits, lowest bit first, by length of a match (3 to 258). */
const LENGTH_BITS = new Uint32Array(259);
const LENGTH_SIZES = new Uint8Array(259);
const LITERAL_BITS = new Uint32Array(256);
const LITERAL_SIZES = new Uint8Array(256);
prepareLengths();
prepareLiterals();

const LONGEST = 258;
const ADLER = 65521;

class RowDeflater {
  readonly #pixels: Uint8Array;
  readonly #width: number;
  readonly #height: number;
  readonly #above: { bits: number; size: number };
  #out: Buffer;
  #length = 0;
  #held = 0;
  #count = 0;
  #low = 1;
  #high = 0;

  constructor(pixels: Uint8Array, width: number) {
    this.#pixels = pixels;
    this.#width = width;
    this.#height = pixels.length / width;
    this.#above = distanceCode(width + 1);
    this.#out = Buffer.allocUnsafe(1 << 18);
    this.#out.writeUInt16BE(0x7801, 0);
    this.#length = 2;
  }

  finish(): Buffer {
    this.#put(0b011, 3);
    for (let row = 0; row < this.#height; row++) {
      this.#reserve();
      this.#row(row);
      this.#sum(row);
    }
    this.#put(0, 7);
    this.#put(0, (8 - (this.#count & 7)) & 7);
    this.#reserve();
    this.#length = this.#out.writeUInt32BE(this.#high * 65536 + this.#low, this.#length);
    return this.#out.subarray(0, this.#length);
  }

  /** Twice a row's raw size is more than its codes can take. */
  #reserve(): void {
    const needed = this.#length + 2 * this.#width + 64;
    if (needed <= this.#out.length) return;
    this.#out = Buffer.concat([this.#out], Math.max(needed, this.#out.length * 2));
  }

  #row(row: number): void {
    const [pixels, width] = [this.#pixels, this.#width];
    const start = row * width;
    const end = start + width;
    this.#literal(0);
    let at = start;
    while (at < end) {
      const run = at > start ? sameAs(pixels, at, 1, end) : 0;
      const above = row > 0 && run < LONGEST ? sameAs(pixels, at, width, end) : 0;
      if (above > 3 && above > run + 1) at += this.#match(above, this.#above.bits, this.#above.size);
      else if (run > 2) at += this.#match(run, 0, 5);
      else this.#literal(pixels[at++] ?? 0);
    }
  }

  #literal(value: number): void {
    this.#put(LITERAL_BITS[value] ?? 0, LITERAL_SIZES[value] ?? 8);
  }

  #match(length: number, distance: number, size: number): number {
    this.#put(LENGTH_BITS[length] ?? 0, LENGTH_SIZES[length] ?? 7);
    this.#put(distance, size);
    return length;
  }

  #put(bits: number, size: number): void {
    this.#held |= bits << this.#count;
    this.#count += size;
    while (this.#count >= 8) {
      this.#out[this.#length++] = this.#held & 255;
      this.#held >>>= 8;
      this.#count -= 8;
    }
  }

  #sum(row: number): void {
    let [low, high] = [this.#low, this.#high + this.#low];
    const end = (row + 1) * this.#width;
    for (let at = row * this.#width; at < end; at++) {
      low += this.#pixels[at] ?? 0;
      high += low;
    }
    this.#low = low % ADLER;
    this.#high = high % ADLER;
  }
}

/** How many bytes from `at` on equal those `distance` before, at most the longest match. */
function sameAs(pixels: Uint8Array, at: number, distance: number, end: number): number {
  const last = Math.min(end, at + LONGEST);
  let next = at;
  while (next < last && pixels[next] === pixels[next - distance]) next++;
  return next - at;
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

function distanceCode(distance: number): { bits: number; size: number } {
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
