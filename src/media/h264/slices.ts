import {
  BitWriter,
  FRAME_NUMBER_BITS,
  INITIAL_QP,
  nalUnit,
  PICTURE_ORDER_BITS,
  PICTURE_PARAMETER_SET_ID,
} from './stream-parameters.ts';

const [SLICE, KEY_SLICE, SEQUENCE_SET, PICTURE_SET_UNIT] = [1, 5, 7, 8];
const I_SLICE = 7;

export interface IntraSlice {
  data: Buffer;
  body: number;
  quantiser: number;
}

interface Parameters {
  frameNumberBits: number;
  orderBits: number;
  quantiser: number;
}

/**
 * Parses a stream of x264 with one intra slice for each picture. `encodeKeyframe` writes a slice with new headers, so
 * that later frames can copy from it. Throws if these headers cannot express what x264 wrote.
 */
export function parseIntraSlices(stream: Buffer): IntraSlice[] {
  const known: Parameters = { frameNumberBits: 0, orderBits: 0, quantiser: INITIAL_QP };
  const slices: IntraSlice[] = [];
  for (const unit of unitsOf(stream)) {
    const type = (unit[0] ?? 0) & 31;
    if (type === SEQUENCE_SET) Object.assign(known, readSequenceSet(unescaped(unit)));
    if (type === PICTURE_SET_UNIT) known.quantiser = readPictureSet(unescaped(unit));
    if (type === KEY_SLICE || type === SLICE) slices.push(readSlice(unescaped(unit), type === KEY_SLICE, known));
  }
  return slices;
}

export function encodeKeyframe(slice: IntraSlice, id: number): Buffer {
  const bits = new BitWriter(slice.data.length + 64);
  bits.putUnsigned(0);
  bits.putUnsigned(I_SLICE);
  bits.putUnsigned(PICTURE_PARAMETER_SET_ID);
  bits.put(0, FRAME_NUMBER_BITS);
  bits.putUnsigned(id & 1);
  bits.put(0, PICTURE_ORDER_BITS);
  bits.put(0b00, 2);
  return nalUnit(0x65, end(bits, slice));
}

function end(bits: BitWriter, { data, body, quantiser }: IntraSlice): Buffer {
  bits.putSigned(quantiser - INITIAL_QP);
  bits.putUnsigned(1);
  const rest = 8 - (body & 7);
  const whole = (body + rest) >> 3;
  bits.put((data[whole - 1] ?? 0) & ((1 << rest) - 1), rest);
  const pairs = whole + ((data.length - whole) & ~1);
  for (let at = whole; at < pairs; at += 2) bits.put(data.readUInt16BE(at), 16);
  if (pairs < data.length) bits.put(data[pairs] ?? 0, 8);
  return withoutZeros(bits.end());
}

function withoutZeros(data: Buffer): Buffer {
  let length = data.length;
  while (data[length - 1] === 0) length--;
  return data.subarray(0, length);
}

function readSequenceSet(data: Buffer): Omit<Parameters, 'quantiser'> {
  const bits = new BitReader(data);
  bits.take(32);
  bits.takeUnsigned();
  const frameNumberBits = bits.takeUnsigned() + 4;
  return { frameNumberBits, orderBits: bits.takeUnsigned() === 0 ? bits.takeUnsigned() + 4 : 0 };
}

function readPictureSet(data: Buffer): number {
  const bits = new BitReader(data);
  bits.take(8);
  for (const _set of ['picture', 'sequence']) bits.takeUnsigned();
  const isArithmetic = bits.take(1) === 1;
  bits.take(1);
  for (const _count of ['groups', 'before', 'after']) bits.takeUnsigned();
  bits.take(3);
  const quantiser = INITIAL_QP + bits.takeSigned();
  bits.takeSigned();
  const colours = bits.takeSigned();
  if (isArithmetic || colours !== 0) throw new Error('x264 codes in another way than ours is coded.');
  return quantiser;
}

function readSlice(data: Buffer, isKey: boolean, known: Parameters): IntraSlice {
  const bits = new BitReader(data);
  bits.take(8);
  if (bits.takeUnsigned() !== 0) throw new Error('x264 wrote more than one slice a picture.');
  bits.takeUnsigned();
  bits.takeUnsigned();
  bits.take(known.frameNumberBits);
  if (isKey) bits.takeUnsigned();
  bits.take(known.orderBits);
  bits.take(isKey ? 2 : 1);
  const quantiser = known.quantiser + bits.takeSigned();
  if (bits.takeUnsigned() !== 1) throw new Error('x264 left its deblocking filter on.');
  return { data, body: bits.position, quantiser };
}

const START = Buffer.from([0, 0, 1]);

function* unitsOf(stream: Buffer): Generator<Buffer> {
  let from = stream.indexOf(START);
  while (from >= 0) {
    const next = stream.indexOf(START, from + START.length);
    yield withoutZeros(stream.subarray(from + START.length, next < 0 ? stream.length : next));
    from = next;
  }
}

function unescaped(unit: Buffer): Buffer {
  const data = Buffer.allocUnsafe(unit.length);
  let [length, from] = [0, 0];
  for (let at = unit.indexOf('\0\0\x03', 0, 'latin1'); at >= 0; at = unit.indexOf('\0\0\x03', at + 3, 'latin1')) {
    length += unit.copy(data, length, from, at + 2);
    from = at + 3;
  }
  length += unit.copy(data, length, from);
  return data.subarray(0, length);
}

class BitReader {
  position = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(size: number): number {
    let value = 0;
    for (let bit = 0; bit < size; bit++) {
      const byte = this.#bytes[this.position >> 3] ?? 0;
      value = value * 2 + ((byte >> (7 - (this.position & 7))) & 1);
      this.position++;
    }
    return value;
  }

  takeUnsigned(): number {
    let zeros = 0;
    while (zeros < 32 && this.take(1) === 0) zeros++;
    return (1 << zeros) - 1 + this.take(zeros);
  }

  takeSigned(): number {
    const code = this.takeUnsigned();
    return code % 2 === 1 ? (code + 1) / 2 : -code / 2;
  }
}

/** The vector from each macroblock to its source in the key picture: x and y in turn, in quarter pixels. */
export interface MotionField {
  columns: number;
  firstRow: number;
  rows: number;
  vectors: Int16Array;
}

const P_SLICE = 5;
const SIXTEEN_BY_SIXTEEN = 0;
const NOTHING_CODED = 0;

export class MotionSliceWriter {
  readonly #bits = new BitWriter(32_768);
  #skipped = 0;

  write(field: MotionField, order: number): Buffer {
    const { columns, firstRow, rows } = field;
    const bits = this.#bits.begin();
    bits.putUnsigned(firstRow * columns);
    bits.putUnsigned(P_SLICE);
    bits.putUnsigned(PICTURE_PARAMETER_SET_ID);
    bits.put(1, FRAME_NUMBER_BITS);
    bits.put(order, PICTURE_ORDER_BITS);
    bits.put(0, 1);
    bits.put(0, 1);
    bits.putSigned(0);
    bits.putUnsigned(1);
    for (let row = 0; row < rows; row++) this.#anyRow(field, row);
    if (this.#skipped > 0) bits.putUnsigned(this.#skipped);
    this.#skipped = 0;
    return nalUnit(0x01, bits.finish());
  }

  #anyRow(field: MotionField, row: number): void {
    if (rests(field, row)) this.#skipped += field.columns;
    else if (row === 0) this.#firstRow(field);
    else this.#row(field, row);
  }

  /**
   * Writes a row of macroblocks. A vector is predicted as the median of its neighbours. If the left or the upper neighbour
   * is missing or zero, a macroblock with a zero vector is skipped; otherwise, one with the predicted vector.
   */
  #row({ columns, vectors }: MotionField, row: number): void {
    const wide = columns * 2;
    const end = (row + 1) * wide;
    let leftX = 0;
    let leftY = 0;
    let aboveX = vectors[end - 2 * wide] as number;
    let aboveY = vectors[end - 2 * wide + 1] as number;
    for (let at = row * wide; at < end; at += 2) {
      const x = vectors[at] as number;
      const y = vectors[at + 1] as number;
      const corner = at + 2 < end ? at - wide + 2 : at - wide - 2;
      const cornerX = vectors[corner] as number;
      const cornerY = vectors[corner + 1] as number;
      const apartX = x - median(leftX, aboveX, cornerX);
      const apartY = y - median(leftY, aboveY, cornerY);
      const isAtEdge = at === end - wide;
      const rests = isAtEdge || (leftX | leftY) === 0 || (aboveX | aboveY) === 0;
      leftX = x;
      leftY = y;
      aboveX = cornerX;
      aboveY = cornerY;
      if ((rests ? x | y : apartX | apartY) === 0) this.#skipped++;
      else this.#moved(apartX, apartY);
    }
  }

  #firstRow({ columns, vectors }: MotionField): void {
    let leftX = 0;
    let leftY = 0;
    for (let column = 0; column < columns; column++) {
      const x = vectors[2 * column] as number;
      const y = vectors[2 * column + 1] as number;
      if ((x | y) === 0) this.#skipped++;
      else this.#moved(x - leftX, y - leftY);
      leftX = x;
      leftY = y;
    }
  }

  #moved(x: number, y: number): void {
    const bits = this.#bits;
    bits.putUnsigned(this.#skipped);
    this.#skipped = 0;
    bits.putUnsigned(SIXTEEN_BY_SIXTEEN);
    bits.putSigned(x);
    bits.putSigned(y);
    bits.putUnsigned(NOTHING_CODED);
  }
}

function rests({ columns, vectors }: MotionField, row: number): boolean {
  const end = (row + 1) * columns;
  for (let at = row * columns * 2; at < end * 2; at++) if (vectors[at] !== 0) return false;
  return true;
}

function median(a: number, b: number, c: number): number {
  if (a > b) return b > c ? b : Math.min(a, c);
  return a > c ? a : Math.min(b, c);
}
