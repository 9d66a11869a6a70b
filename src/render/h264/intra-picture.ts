import { BitWriter } from '../bit-writer.ts';
import { KEY_QUANTISER } from './block-coder.ts';
import { putIntraPicture, type WholePicture } from './intra-coder.ts';
import { nalUnit } from './nal-unit.ts';
import { FRAME_NUMBER_BITS, ORDER_BITS, PICTURE_SET, USUAL_QUANTISER } from './stream-parameters.ts';

const I_SLICE = 7;

/** Codes whole pictures, one slice each; its memory is used again. */
export class IntraPictures {
  readonly #bits = new BitWriter(262_144);

  /** The picture as a point where decoding can begin. */
  key(picture: WholePicture, id: number): Buffer {
    const bits = this.#begin(0);
    bits.putUnsigned(id & 1);
    bits.put(0, ORDER_BITS);
    bits.put(0b00, 2);
    return this.#unit(0x65, picture);
  }

  /** The picture as a further reference, shown at `order` (twice its place after the key picture). */
  reference(picture: WholePicture, order: number): Buffer {
    const bits = this.#begin(1);
    bits.put(order, ORDER_BITS);
    bits.put(0, 1);
    return this.#unit(0x61, picture);
  }

  #begin(frameNumber: number): BitWriter {
    const bits = this.#bits.begin();
    bits.putUnsigned(0);
    bits.putUnsigned(I_SLICE);
    bits.putUnsigned(PICTURE_SET);
    bits.put(frameNumber, FRAME_NUMBER_BITS);
    return bits;
  }

  /** Without the filter at the edges of blocks. */
  #unit(head: number, picture: WholePicture): Buffer {
    this.#bits.putSigned(KEY_QUANTISER - USUAL_QUANTISER);
    this.#bits.putUnsigned(1);
    putIntraPicture(picture, this.#bits);
    return nalUnit(head, this.#bits.finish());
  }
}
