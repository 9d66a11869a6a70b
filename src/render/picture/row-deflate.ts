import {
  type Code,
  distanceCode,
  LONGEST,
  lengthCode,
  literalCode,
  writeCodes,
} from './deflate-codes.ts';

const MODULUS = 65_521;
/** A copy from the row above that is shorter than this costs more than it saves. */
const LEAST_ABOVE = 5;
const LEAST_RUN = 3;
/** From here on runs are counted as one. */
const LONG = 16;
/** A whole zlib stream follows, of one block with the codes that need no table. */
const ZLIB_HEAD = [0x78, 0x01];
const ONLY_BLOCK: Code = (0b011 << 5) | 3;

/**
 * Deflates the unfiltered rows of a drawn picture. Such a picture repeats the pixel beside or the row above nearly
 * everywhere, so nothing else is looked for, and the checksum follows from what changes between two rows. As fast as
 * zlib's run-length mode, and the same bytes on every processor and with every build of zlib.
 */
export class RowDeflate {
  readonly #width: number;
  readonly #literals = Uint32Array.from({ length: 256 }, (_, value) => literalCode(value));
  readonly #lengths = Uint32Array.from({ length: LONGEST + 1 }, (_, length) => lengthCode(length));
  readonly #above: Code;
  readonly #beside = distanceCode(1);
  readonly #codes: Uint32Array;
  readonly #bytes: Buffer;
  #count = 0;
  #pixels: Uint8Array = new Uint8Array(0);
  #words: Int32Array = new Int32Array(0);
  /** Bytes not yet written that are as in the row above. */
  #same = 0;
  /** Sum of the row's bytes, and the sum in which each counts as often as bytes follow it in the row. */
  #sum = 0;
  #weighted = 0;

  /** `width` is a multiple of 4. */
  constructor(width: number, height: number) {
    this.#width = width;
    this.#above = distanceCode(width + 1);
    const most = (width + 1) * height + 2;
    this.#codes = new Uint32Array(most);
    this.#bytes = Buffer.alloc(Math.ceil((most * 9) / 8) + 8);
  }

  /** A zlib stream of the rows, a zero before each; its memory is used again by the next call. */
  deflate(pixels: Uint8Array): Buffer {
    const width = this.#width;
    this.#pixels = pixels;
    this.#words = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
    this.#count = 0;
    this.#push(ONLY_BLOCK);
    this.#firstRow();
    let [low, high] = [1, 0];
    for (let start = 0; start < pixels.length; start += width) {
      if (start > 0) this.#row(start, start + width);
      high = (high + low * (width + 1) + this.#weighted) % MODULUS;
      low = (low + this.#sum) % MODULUS;
    }
    this.#flush();
    return this.#finish(high * 65_536 + low);
  }

  #finish(checksum: number): Buffer {
    this.#push(literalCode(256));
    this.#bytes.set(ZLIB_HEAD);
    const end = writeCodes(this.#codes, this.#count, this.#bytes, ZLIB_HEAD.length);
    return this.#bytes.subarray(0, this.#bytes.writeUInt32BE(checksum, end));
  }

  #firstRow(): void {
    this.#push(literalCode(0));
    this.#sum = 0;
    this.#weighted = 0;
    const width = this.#width;
    for (let at = 0; at < width; at++) {
      const value = this.#pixels[at] ?? 0;
      this.#sum += value;
      this.#weighted += value * (width - at);
    }
    for (let at = 0; at < width; ) at += this.#run(at, width, at) || this.#literal(at);
  }

  #row(start: number, end: number): void {
    const pixels = this.#pixels;
    const width = this.#width;
    let at = start + this.#beginning(start, end);
    while (at < end) {
      const above = pixels[at] === pixels[at - width] ? this.#sameAbove(at, end) : 0;
      if (above >= LEAST_ABOVE) {
        this.#same += above;
        at += above;
        continue;
      }
      if (this.#same > 0) this.#flush();
      const taken = this.#run(at, end, at - start) || this.#literal(at);
      this.#noteChanges(at, at + taken, end);
      at += taken;
    }
  }

  /** The row's zero, with what follows it as above. */
  #beginning(start: number, end: number): number {
    const same = this.#sameAbove(start, end);
    if (this.#same > 0 || same >= LEAST_ABOVE) {
      this.#same += 1 + same;
      return same;
    }
    this.#push(this.#literals[0] ?? 0);
    return 0;
  }

  #flush(): void {
    if (this.#same > 0) this.#copy(this.#same, this.#above);
    this.#same = 0;
  }

  /** A remainder of less than 3 could not be written. */
  #copy(length: number, distance: Code): void {
    let left = length;
    while (left > 0) {
      const part = left <= LONGEST ? left : Math.min(LONGEST, left - 3);
      this.#push(this.#lengths[part] ?? 0);
      this.#push(distance);
      left -= part;
    }
  }

  #literal(at: number): number {
    this.#push(this.#literals[this.#pixels[at] ?? 0] ?? 0);
    return 1;
  }

  #push(code: Code): void {
    this.#codes[this.#count++] = code;
  }

  /** Writes pixels that repeat the one beside; answers how many. */
  #run(from: number, end: number, column: number): number {
    const pixels = this.#pixels;
    const value = pixels[from] ?? 0;
    if (column === 0 || pixels[from - 1] !== value || pixels[from + 1] !== value) return 0;
    const length = this.#runEnd(from, end) - from;
    if (length < LEAST_RUN) return 0;
    this.#copy(length, this.#beside);
    return length;
  }

  /** Where pixels end that are as the one at `from`. */
  #runEnd(from: number, end: number): number {
    const pixels = this.#pixels;
    const value = pixels[from] ?? 0;
    let at = from + 1;
    while ((at & 3) !== 0 && at < end && pixels[at] === value) at++;
    if ((at & 3) !== 0) return at;
    const words = this.#words;
    const four = Math.imul(value, 0x01010101);
    const last = end >> 2;
    let word = at >> 2;
    while (word < last && words[word] === four) word++;
    at = word << 2;
    while (at < end && pixels[at] === value) at++;
    return at;
  }

  #noteChanges(from: number, to: number, end: number): void {
    if (to - from > LONG) {
      this.#noteRun(from, to, end);
      return;
    }
    const pixels = this.#pixels;
    const width = this.#width;
    let [sum, weighted] = [0, 0];
    for (let at = from; at < to; at++) {
      const change = (pixels[at] ?? 0) - (pixels[at - width] ?? 0);
      sum = (sum + change) | 0;
      weighted = (weighted + Math.imul(change, end - at)) | 0;
    }
    this.#sum += sum;
    this.#weighted += weighted;
  }

  /** Pixels of one colour over runs of others. */
  #noteRun(from: number, to: number, end: number): void {
    const pixels = this.#pixels;
    const width = this.#width;
    const value = pixels[from] ?? 0;
    let at = from;
    while (at < to) {
      const next = this.#runEnd(at - width, to - width) + width;
      const change = value - (pixels[at - width] ?? 0);
      this.#sum += change * (next - at);
      this.#weighted += (change * (next - at) * (2 * end - at - next + 1)) / 2;
      at = next;
    }
  }

  /** How many pixels from `from` on are as those above them. */
  #sameAbove(from: number, end: number): number {
    const pixels = this.#pixels;
    const width = this.#width;
    let at = from;
    while ((at & 3) !== 0) {
      if (pixels[at] !== pixels[at - width]) return at - from;
      at++;
    }
    const words = this.#words;
    const wide = width >> 2;
    let word = at >> 2;
    const last = end >> 2;
    while (word < last && words[word] === words[word - wide]) word++;
    at = word << 2;
    while (at < end && pixels[at] === pixels[at - width]) at++;
    return at - from;
  }
}
