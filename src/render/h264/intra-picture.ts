import { BitReader } from './bit-reader.ts';
import { BitWriter } from './bit-writer.ts';
import { nalUnit, splitStream, unescapeUnit, unitType } from './nal-unit.ts';
import { FRAME_NUMBER_BITS, ORDER_BITS } from './stream-parameters.ts';

const [SLICE, KEY_SLICE, SEQUENCE_SET, PICTURE_SET] = [1, 5, 7, 8];

/** Whole pictures as the encoder coded them: one slice each, and the picture parameter set they refer to. */
export interface CodedPictures {
  pictureSet: Buffer;
  slices: IntraSlice[];
}

/** The parts of a slice that stay when its header is written anew. */
export interface IntraSlice {
  data: Buffer;
  /** Where the macroblocks begin, in bits. */
  body: number;
  quality: number;
  deblocking: number;
}

interface HeaderShape {
  frameNumberBits: number;
  orderType: number;
  orderBits: number;
}

/** Takes a stream apart that holds intra pictures of one slice each (CAVLC). */
export function readIntraStream(stream: Buffer): CodedPictures {
  let shape: HeaderShape | undefined;
  let pictureSet: Buffer | undefined;
  const slices: IntraSlice[] = [];
  for (const unit of splitStream(stream)) {
    const type = unitType(unit);
    if (type === SEQUENCE_SET) shape = readShape(unit);
    if (type === PICTURE_SET) pictureSet ??= unit;
    if ((type === KEY_SLICE || type === SLICE) && shape) slices.push(readSlice(unit, shape));
  }
  if (!pictureSet) throw new Error('The encoder wrote no picture parameter set.');
  return { pictureSet, slices };
}

/** The picture as a point where decoding can begin. */
export function keyPicture(slice: IntraSlice, id: number): Buffer {
  const bits = begin(slice, 0);
  bits.putUnsigned(id & 1);
  bits.put(0, ORDER_BITS);
  bits.put(0b00, 2);
  return nalUnit(0x65, end(bits, slice));
}

/** The picture as a further reference, shown at `order` (twice its place after the key picture). */
export function referencePicture(slice: IntraSlice, order: number): Buffer {
  const bits = begin(slice, 1);
  bits.put(order, ORDER_BITS);
  bits.put(0, 1);
  return nalUnit(0x61, end(bits, slice));
}

function begin(slice: IntraSlice, frameNumber: number): BitWriter {
  const bits = new BitWriter(slice.data.length + 32);
  bits.putUnsigned(0);
  bits.putUnsigned(7);
  bits.putUnsigned(0);
  bits.put(frameNumber, FRAME_NUMBER_BITS);
  return bits;
}

function end(bits: BitWriter, slice: IntraSlice): Buffer {
  bits.putSigned(slice.quality);
  bits.putUnsigned(slice.deblocking);
  bits.putBitsOf(slice.data, slice.body);
  return bits.finishCopied();
}

function readShape(unit: Buffer): HeaderShape {
  const bits = new BitReader(unescapeUnit(unit));
  bits.take(24);
  bits.takeUnsigned();
  const frameNumberBits = bits.takeUnsigned() + 4;
  const orderType = bits.takeUnsigned();
  return { frameNumberBits, orderType, orderBits: orderType === 0 ? bits.takeUnsigned() + 4 : 0 };
}

function readSlice(unit: Buffer, shape: HeaderShape): IntraSlice {
  const data = unescapeUnit(unit);
  const bits = new BitReader(data);
  if (bits.takeUnsigned() !== 0) throw new Error('The encoder wrote more than one slice a picture.');
  bits.takeUnsigned();
  bits.takeUnsigned();
  bits.take(shape.frameNumberBits);
  const key = unitType(unit) === KEY_SLICE;
  if (key) bits.takeUnsigned();
  bits.take(shape.orderBits);
  bits.take(key ? 2 : 1);
  const quality = bits.takeSigned();
  const deblocking = bits.takeUnsigned();
  if (deblocking !== 1) throw new Error('The encoder left the deblocking filter on.');
  return { data, body: bits.position, quality, deblocking };
}
