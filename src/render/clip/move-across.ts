import type { MotionField } from '../h264/motion-slice.ts';
import { BLOCK } from './clip-layout.ts';
import type { StillPart } from './motion-field.ts';

/** Something that has left its place in the key picture. */
interface Moved {
  /** Its place there. */
  box: StillPart;
  /** Where points of the picture lie in the key picture. */
  source: { scale: number; x: number };
  /** Pixels that it has gone to the right. */
  gone: number;
}

/** What interpolation looks at beside a macroblock. */
const FRINGE = 3;

/**
 * Shows what was in a box of the key picture where it has gone, and where it was what lies in front of it: the picture
 * beside it, as high up, on the side to which it goes.
 */
export function moveAcross({ columns, rows, vectors }: MotionField, { box, source, gone }: Moved): void {
  const aside = Math.sign(gone) * (Math.ceil(box.width / BLOCK) + 2) * BLOCK;
  for (let row = 0; row < rows; row++) {
    const top = row * BLOCK + (vectors[row * columns * 2 + 1] ?? 0) / 4;
    if (top + BLOCK + FRINGE <= box.y || top - FRINGE >= box.y + box.height) continue;
    for (let column = 0; column < columns; column++) {
      const at = (row * columns + column) * 2;
      const left = column * BLOCK + (vectors[at] ?? 0) / 4;
      const from = source.x + (column * BLOCK + 8 - gone) * source.scale - 8;
      if (overlaps(box, from)) vectors[at] = Math.round(4 * (from - column * BLOCK));
      else if (overlaps(box, left)) vectors[at] = (vectors[at] ?? 0) + 4 * aside;
    }
  }
}

function overlaps({ x, width }: StillPart, left: number): boolean {
  return left + BLOCK + FRINGE > x && left - FRINGE < x + width;
}
