import { type Code, CodeWriter, distanceCode, LONGEST, lengthCode, literalCode } from './deflate-codes.ts';

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
 * everywhere, so nothing else is looked for, and the checksum follows from what changes between two rows. Twice as fast
 * as zlib's run-length mode, and the same bytes on every processor and with every build of zlib.
 */
export class RowDeflate {
  readonly #width: number;
  readonly #literals = Uint32Array.from({ length: 256 }, (_, value) => literalCode(value));
  readonly #lengths = Uint32Array.from({ length: LONGEST + 1 }, (_, length) => lengthCode(length));
  readonly #above: Code;
  readonly #beside = distanceCode(1);
  readonly #out: CodeWriter;
  #pixels: Uint8Array = new Uint8Array(0);
  #words: Int32Array = new Int32Array(0);
  /** Bytes not yet written that are as in the row above. */
  #same = 0;
  /** Sum of the row's bytes, and the sum in which each counts as often as bytes follow it in the row. */
  #sum = 0;
  #weighted = 0;

  /** `width` is a multiple of 4 and at most 8,188. */
  constructor(width: number, height: number) {
    this.#width = width;
    this.#above = distanceCode(width + 1);
    this.#out = new CodeWriter(Math.ceil((((width + 1) * height + 2) * 9) / 8) + 8);
  }

  /** A zlib stream of the rows, a zero before each; its memory is used again by the next call. */
  deflate(pixels: Uint8Array): Buffer {
    const width = this.#width;
    this.#pixels = pixels;
    this.#words = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
    this.#out.begin(ZLIB_HEAD);
    this.#out.put(ONLY_BLOCK);
    this.#firstRow();
    let [low, high] = [1, 0];
    for (let start = 0; start < pixels.length; start += width) {
      if (start > 0) this.#row(start, start + width);
      high = (high + low * (width + 1) + this.#weighted) % MODULUS;
      low = (low + this.#sum) % MODULUS;
    }
    this.#flush();
    this.#out.put(literalCode(256));
    const { bytes } = this.#out;
    return bytes.subarray(0, bytes.writeUInt32BE(high * 65_536 + low, this.#out.end()));
  }

  #firstRow(): void {
    this.#out.put(literalCode(0));
    this.#sum = 0;
    this.#weighted = 0;
    const width = this.#width;
    for (let at = 0; at < width; at++) {
      const value = this.#pixels[at] ?? 0;
      this.#sum += value;
      this.#weighted += value * (width - at);
    }
    for (let at = 0; at < width; ) at += this.#run(at, width, at) || this.#single(at, 1);
  }

  #row(start: number, end: number): void {
    const pixels = this.#pixels;
    const width = this.#width;
    const literals = this.#literals;
    const out = this.#out;
    let [sum, weighted] = [0, 0];
    let at = start + this.#beginning(start, end);
    while (at < end) {
      const value = pixels[at] ?? 0;
      if (value === pixels[at - width]) {
        at += this.#repeat(at, end);
        continue;
      }
      if (this.#same > 0) this.#flush();
      const taken = this.#run(at, end, at - start);
      if (taken > 0) {
        this.#noteChanges(at, at + taken, end);
        at += taken;
        continue;
      }
      out.put(literals[value] ?? 0);
      const change = value - (pixels[at - width] ?? 0);
      sum += change;
      weighted += change * (end - at);
      at++;
    }
    this.#sum += sum;
    this.#weighted += weighted;
  }

  /** Takes what is as above; answers how many bytes. */
  #repeat(at: number, end: number): number {
    const above = this.#sameAbove(at, end);
    if (above < LEAST_ABOVE) return this.#single(at, above);
    this.#same += above;
    return above;
  }

  /** The row's zero, with what follows it as above. */
  #beginning(start: number, end: number): number {
    const same = this.#sameAbove(start, end);
    if (this.#same > 0 || same >= LEAST_ABOVE) {
      this.#same += 1 + same;
      return same;
    }
    this.#out.put(this.#literals[0] ?? 0);
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
      this.#out.put(this.#lengths[part] ?? 0);
      this.#out.put(distance);
      left -= part;
    }
  }

  #single(from: number, count: number): number {
    for (let at = from; at < from + count; at++) {
      this.#out.put(this.#literals[this.#pixels[at] ?? 0] ?? 0);
    }
    return count;
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
    const words = this.#words;
    const four = Math.imul(this.#pixels[from] ?? 0, 0x01010101);
    const last = end >> 2;
    let word = from >> 2;
    let unlike = ((words[word] ?? 0) ^ four) & behind(from);
    while (unlike === 0 && ++word < last) unlike = (words[word] ?? 0) ^ four;
    // Above a run the end may lie within a word; what lies behind it is not asked for.
    return Math.min(end, (word << 2) + firstByte(unlike));
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
      this.#weighted += change * (((next - at) * (2 * end - at - next + 1)) >> 1);
      at = next;
    }
  }

  /** How many pixels from `from` to the row's end are as those above them. */
  #sameAbove(from: number, end: number): number {
    const words = this.#words;
    const wide = this.#width >> 2;
    const last = end >> 2;
    let word = from >> 2;
    let unlike = ((words[word] ?? 0) ^ (words[word - wide] ?? 0)) & behind(from);
    if (unlike === 0) {
      word++;
      while (word + 4 <= last && fourAlike(words, word, word - wide)) word += 4;
      for (; word < last; word++) {
        unlike = (words[word] ?? 0) ^ (words[word - wide] ?? 0);
        if (unlike !== 0) break;
      }
    }
    return (word << 2) + firstByte(unlike) - from;
  }
}

/** The bits of a pixel and of those behind it in its word. */
function behind(at: number): number {
  return -1 << ((at & 3) << 3);
}

/** The first byte in which two words differ, of four; 0 where they do not. */
function firstByte(unlike: number): number {
  return unlike === 0 ? 0 : (31 - Math.clz32(unlike & -unlike)) >> 3;
}

/** One question for four words is quicker than four. */
function fourAlike(words: Int32Array, one: number, other: number): boolean {
  const first = (words[one] ?? 0) ^ (words[other] ?? 0);
  const second = (words[one + 1] ?? 0) ^ (words[other + 1] ?? 0);
  const third = (words[one + 2] ?? 0) ^ (words[other + 2] ?? 0);
  const fourth = (words[one + 3] ?? 0) ^ (words[other + 3] ?? 0);
  return (first | second | third | fourth) === 0;
}
