import { BitWriter } from '../bit-writer.ts';
import { nalUnit } from './nal-unit.ts';
import { FRAME_NUMBER_BITS, ORDER_BITS, PICTURE_SET } from './stream-parameters.ts';

const B_SLICE = 6;
/** Weights are in 64ths, written with a denominator of 2^6. */
const DENOMINATOR = 6;

/** A picture that is wholly skipped: `weight` 128ths of the later reference and the rest of the earlier one. */
export function dissolvePicture(macroblocks: number, order: number, weight: number): Buffer {
  const bits = new BitWriter();
  bits.putUnsigned(0);
  bits.putUnsigned(B_SLICE);
  bits.putUnsigned(PICTURE_SET);
  bits.put(2, FRAME_NUMBER_BITS);
  bits.put(order, ORDER_BITS);
  bits.put(0b1_0_0_0, 4);
  bits.putUnsigned(DENOMINATOR);
  bits.putUnsigned(DENOMINATOR);
  for (const share of [128 - weight, weight]) putWeights(bits, share);
  bits.putSigned(0);
  bits.putUnsigned(1);
  bits.putUnsigned(macroblocks);
  return nalUnit(0x01, bits.finish());
}

/** The same weight for brightness and both colours, no offset. */
function putWeights(bits: BitWriter, share: number): void {
  bits.put(1, 1);
  bits.putSigned(share);
  bits.putSigned(0);
  bits.put(1, 1);
  for (let colour = 0; colour < 2; colour++) {
    bits.putSigned(share);
    bits.putSigned(0);
  }
}
