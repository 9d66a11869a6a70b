import { BitWriter } from '../bit-writer.ts';
import { BY_ABOVE, BY_LEFT, BY_MEANS, IntraColour } from './intra-colour.ts';
import { IntraLuma } from './intra-luma.ts';
import { KEY_QUANTISER } from './quantiser.ts';
import { ResidualWriter } from './residual-writer.ts';
import { FRAME_NUMBER_BITS, nalUnit, ORDER_BITS, PICTURE_SET, USUAL_QUANTISER } from './stream-parameters.ts';

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

/** A picture of whole macroblocks: brightness for each pixel, then both colours for each square of four. */
interface WholePicture {
  width: number;
  height: number;
  bytes: Uint8Array;
}

/** `mb_type` of a macroblock predicted as a whole: more of it by how it is predicted, and by what is written of it. */
const WHOLE = 1;
const FOR_COLOURS = 4;
const FOR_BLOCKS = 12;
const [NO_COLOURS, MEANS_ONLY, ALL_COLOURS] = [0, 1, 2];

/**
 * Writes the macroblocks of a picture of which nothing was shown before. Drawn pictures are of one colour over wide parts:
 * such a macroblock is seen at a glance and takes a byte. Afterwards `picture` holds what a decoder shows.
 */
function putIntraPicture(picture: WholePicture, bits: BitWriter): void {
  const { width, height, bytes } = picture;
  const pixels = width * height;
  const luma = new IntraLuma(bytes.subarray(0, pixels), width);
  const plane = (at: number) => bytes.subarray(pixels + (at * pixels) / 4, pixels + ((at + 1) * pixels) / 4);
  const colours = { blue: new IntraColour(plane(0), width / 2), red: new IntraColour(plane(1), width / 2) };
  const writer = new ResidualWriter(bits);
  for (let row = 0; row < height / 16; row++) {
    for (let column = 0; column < width / 16; column++) {
      const mode = luma.predict(column, row);
      colours.blue.begin(column, row);
      colours.red.begin(column, row);
      const way = predictColours(colours);
      const coded = codedOf(colours);
      bits.putUnsigned(WHOLE + mode + FOR_COLOURS * coded + (luma.hasBlocks ? FOR_BLOCKS : 0));
      bits.putUnsigned(way);
      bits.put(1, 1);
      luma.write(writer);
      if (coded !== NO_COLOURS) {
        colours.blue.writeMeans(writer);
        colours.red.writeMeans(writer);
      }
      colours.blue.writeBlocks(writer, coded === ALL_COLOURS);
      colours.red.writeBlocks(writer, coded === ALL_COLOURS);
    }
  }
}

interface Colours {
  blue: IntraColour;
  red: IntraColour;
}

/** Codes both in the way that leaves the least; answers it. */
function predictColours({ blue, red }: Colours): number {
  if (blue.goesOn(BY_ABOVE) && red.goesOn(BY_ABOVE)) return BY_ABOVE;
  if (blue.goesOn(BY_LEFT) && red.goesOn(BY_LEFT)) return BY_LEFT;
  blue.measure();
  red.measure();
  const byMeans = blue.byMeans + red.byMeans;
  const byLeft = blue.byLeft + red.byLeft;
  const byAbove = blue.byAbove + red.byAbove;
  const least = Math.min(byMeans, byLeft, byAbove);
  const way = least === byMeans ? BY_MEANS : least === byLeft ? BY_LEFT : BY_ABOVE;
  blue.code(way);
  red.code(way);
  return way;
}

function codedOf({ blue, red }: Colours): number {
  if (blue.hasBlocks || red.hasBlocks) return ALL_COLOURS;
  return blue.hasMeans || red.hasMeans ? MEANS_ONLY : NO_COLOURS;
}
