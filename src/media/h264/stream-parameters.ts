export class BitWriter {
  bytes: Buffer;
  #view: DataView;
  #length = 0;
  /** Only the lowest `count` bits are valid. */
  #held = 0;
  #count = 0;

  constructor(size = 256) {
    this.bytes = Buffer.allocUnsafeSlow(size);
    this.#view = new DataView(this.bytes.buffer);
  }

  begin(): this {
    [this.#length, this.#held, this.#count] = [0, 0, 0];
    return this;
  }

  put(value: number, size: number): void {
    const room = 32 - this.#count;
    if (size < room) {
      this.#held = (this.#held << size) | value;
      this.#count += size;
      return;
    }
    const rest = size - room;
    if (this.#length + 4 > this.bytes.length) this.#grow();
    this.#view.setUint32(this.#length, (room === 32 ? 0 : this.#held << room) | (value >>> rest));
    this.#length += 4;
    this.#held = value;
    this.#count = rest;
  }

  putUnsigned(value: number): void {
    const code = value + 1;
    const bits = 31 - Math.clz32(code);
    if (bits > 14) {
      this.put(0, bits);
      this.put(code, bits + 1);
    } else {
      this.put(code, bits * 2 + 1);
    }
  }

  putSigned(value: number): void {
    this.putUnsigned(value > 0 ? 2 * value - 1 : -2 * value);
  }

  finish(): Buffer {
    this.put(1, 1);
    return this.end();
  }

  end(): Buffer {
    if (this.#length + 4 > this.bytes.length) this.#grow();
    const filled = (this.#count + 7) >> 3;
    if (this.#count > 0) this.#view.setUint32(this.#length, this.#held << (32 - this.#count));
    return this.bytes.subarray(0, this.#length + filled);
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(this.bytes.length * 2);
    this.bytes.copy(larger);
    this.bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

export const FRAME_NUMBER_BITS = 4;
export const PICTURE_ORDER_BITS = 10;
export const PICTURE_PARAMETER_SET_ID = 0;
export const INITIAL_QP = 26;
const MAX_REFERENCES = 1;

/**
 * The coded picture in macroblocks of 16 × 16. The shown part starts at its upper left corner and has even sizes in
 * pixels.
 */
export interface CodedFrameFormat {
  columns: number;
  rows: number;
  crop: { width: number; height: number };
  framesPerSecond: number;
}

const LEVELS: [picture: number, second: number, level: number][] = [
  [3600, 108_000, 31],
  [5120, 216_000, 32],
  [8192, 245_760, 40],
  [8704, 522_240, 42],
  [22_080, 589_824, 50],
  [36_864, 983_040, 51],
];

export function sequenceParameterSet(size: CodedFrameFormat): Buffer {
  const bits = new BitWriter();
  bits.put(77, 8);
  bits.put(0, 8);
  bits.put(levelOf(size), 8);
  bits.putUnsigned(0);
  bits.putUnsigned(FRAME_NUMBER_BITS - 4);
  bits.putUnsigned(0);
  bits.putUnsigned(PICTURE_ORDER_BITS - 4);
  bits.putUnsigned(MAX_REFERENCES);
  bits.put(0, 1);
  bits.putUnsigned(size.columns - 1);
  bits.putUnsigned(size.rows - 1);
  bits.put(0b11, 2);
  putCrop(bits, size);
  bits.put(1, 1);
  putUsability(bits, size.framesPerSecond);
  return nalUnit(0x67, bits.finish());
}

export function pictureParameterSet(): Buffer {
  const bits = new BitWriter();
  bits.putUnsigned(PICTURE_PARAMETER_SET_ID);
  bits.putUnsigned(0);
  bits.put(0b00, 2);
  bits.putUnsigned(0);
  bits.putUnsigned(0);
  bits.putUnsigned(0);
  bits.put(0b0_00, 3);
  bits.putSigned(0);
  bits.putSigned(0);
  bits.putSigned(0);
  bits.put(0b100, 3);
  return nalUnit(0x68, bits.finish());
}

function levelOf({ columns, rows, framesPerSecond }: CodedFrameFormat): number {
  const count = columns * rows;
  const fits = LEVELS.find(([picture, second]) => count <= picture && count * framesPerSecond <= second);
  if (!fits) throw new RangeError(`No level of H.264 has room for ${count} macroblocks.`);
  return fits[2];
}

function putCrop(bits: BitWriter, { columns, rows, crop }: CodedFrameFormat): void {
  bits.put(1, 1);
  bits.putUnsigned(0);
  bits.putUnsigned((columns * 16 - crop.width) / 2);
  bits.putUnsigned(0);
  bits.putUnsigned((rows * 16 - crop.height) / 2);
}

function putUsability(bits: BitWriter, framesPerSecond: number): void {
  bits.put(0b00, 2);
  bits.put(1, 1);
  bits.put(5, 3);
  bits.put(0b01, 2);
  bits.put(0x010101, 24);
  bits.put(0b01, 2);
  bits.put(0, 16);
  bits.put(1, 16);
  bits.put(0, 16);
  bits.put(framesPerSecond * 2, 16);
  bits.put(0b1_0_0_0_1_1, 6);
  for (const value of [2, 1, 15, 13, 0, MAX_REFERENCES]) bits.putUnsigned(value);
}

export function nalUnit(header: number, data: Buffer): Buffer {
  const extra = countEscapes(data);
  const unit = Buffer.allocUnsafe(1 + data.length + extra);
  unit[0] = header;
  if (extra === 0) {
    data.copy(unit, 1);
    return unit;
  }
  let [at, zeros] = [1, 0];
  for (const byte of data) {
    if (zeros >= 2 && byte <= 3) {
      unit[at++] = 3;
      zeros = 0;
    }
    unit[at++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return unit;
}

function countEscapes(data: Buffer): number {
  let count = 0;
  let from = data.indexOf('\0\0', 0, 'latin1');
  let zeros = 0;
  if (from < 0) return 0;
  for (; from < data.length; from++) {
    const byte = data[from] ?? 0;
    if (zeros >= 2 && byte <= 3) {
      count++;
      zeros = 0;
    }
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return count;
}
