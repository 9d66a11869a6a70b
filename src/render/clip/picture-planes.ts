import type { Canvas } from '../paint/canvas.ts';
import { blueOf, lumaOf, redOf } from '../paint/rgb.ts';

/** A picture as H.264 wants it: brightness for each pixel, two colours for each square of four (BT.709, limited range). */
export interface Planes {
  width: number;
  height: number;
  /** Brightness, then both colour planes. */
  bytes: Buffer;
}

export function emptyPlanes(width: number, height: number): Planes {
  return { width, height, bytes: Buffer.alloc((width * height * 3) / 2) };
}

/** Rows from `from` to before `to`, both even. */
export interface Rows {
  from: number;
  to: number;
}

/**
 * Looks each palette place up instead of computing each pixel, and squares like those before not even that. Four pixels
 * are read and written at once, which every supported processor does lowest byte first. `hidden` rows are left out:
 * something else is put there. What `planes` held is gone.
 */
export function putCanvas(planes: Planes, canvas: Canvas, hidden: Rows = { from: 0, to: 0 }): void {
  const { width, height, pixels } = canvas;
  const table = colourTable(canvas);
  const { buffer, byteOffset, length } = planes.bytes;
  const quarter = width / 4;
  const fours = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length / 4);
  const luma = new Int32Array(buffer, byteOffset, pixels.length / 4);
  const colours = new Uint16Array(buffer, byteOffset, length / 2);
  for (let row = 0; row < height; row += 2) {
    if (row >= hidden.from && row < hidden.to) continue;
    const target = { luma, colours, to: pixels.length / 2 + (row / 2) * quarter };
    convertRows(fours, row * quarter, quarter, { table, target });
  }
}

type ColourTable = ReturnType<typeof colourTable>;

interface Target {
  luma: Int32Array;
  colours: Uint16Array;
  /** Where the row of the first colour begins. */
  to: number;
}

/** Two rows of pixels, which share one row of colours. */
function convertRows(
  fours: Int32Array,
  start: number,
  quarter: number,
  { table, target }: { table: ColourTable; target: Target },
): void {
  const { luma, colours, to } = target;
  const plane = fours.length / 2;
  let [upper, lower, above, below, blue, red] = [0, -1, 0, 0, 0, 0];
  for (let at = 0; at < quarter; at++) {
    const one = fours[start + at] as number;
    const two = fours[start + quarter + at] as number;
    if (one !== upper || two !== lower || at === 0) {
      upper = one;
      lower = two;
      above = lookedUp(table.luma, one);
      below = one === two ? above : lookedUp(table.luma, two);
      blue = means(table.blue, one, two);
      red = means(table.red, one, two);
    }
    luma[start + at] = above;
    luma[start + quarter + at] = below;
    colours[to + at] = blue;
    colours[to + plane + at] = red;
  }
}

function lookedUp(table: Uint8Array, four: number): number {
  return (
    (table[four & 255] as number) |
    ((table[(four >> 8) & 255] as number) << 8) |
    ((table[(four >> 16) & 255] as number) << 16) |
    ((table[four >>> 24] as number) << 24)
  );
}

/** Of both squares. */
function means(table: Uint8Array, one: number, two: number): number {
  return mean(table, one, two) | (mean(table, one >>> 16, two >>> 16) << 8);
}

function mean(table: Uint8Array, one: number, two: number): number {
  const upper = (table[one & 255] as number) + (table[(one >> 8) & 255] as number);
  const lower = (table[two & 255] as number) + (table[(two >> 8) & 255] as number);
  return (upper + lower + 2) >> 2;
}

function colourTable({ palette }: Canvas): { luma: Uint8Array; blue: Uint8Array; red: Uint8Array } {
  const table = { luma: new Uint8Array(256), blue: new Uint8Array(256), red: new Uint8Array(256) };
  for (let place = 0; place < palette.size; place++) {
    const colour = palette.colours[place] ?? 0;
    const [r, g, b] = [colour >> 16, (colour >> 8) & 255, colour & 255];
    table.luma[place] = lumaOf(r, g, b);
    table.blue[place] = blueOf(r, g, b);
    table.red[place] = redOf(r, g, b);
  }
  return table;
}

/** Puts RGB pixels (three bytes each) into planes, `spot` from the corner; all sizes and places are even. */
export function putRgb(
  planes: Planes,
  rgb: Buffer,
  spot: { x: number; y: number; width: number; height: number },
): void {
  const { bytes, width } = planes;
  const size = width * planes.height;
  for (let y = 0; y < spot.height; y++) {
    const to = (spot.y + y) * width + spot.x;
    putBrightness(bytes.subarray(to, to + spot.width), rgb, y * spot.width * 3);
  }
  const half = spot.width >> 1;
  for (let y = 0; y < spot.height; y += 2) {
    const to = size + ((spot.y + y) >> 1) * (width >> 1) + (spot.x >> 1);
    const blue = bytes.subarray(to, to + half);
    const red = bytes.subarray(to + size / 4, to + size / 4 + half);
    putColours({ blue, red }, rgb, y * spot.width * 3);
  }
}

/** One row; weights are in 65,536ths. */
function putBrightness(row: Uint8Array, rgb: Buffer, start: number): void {
  for (let x = 0, from = start; x < row.length; x++, from += 3) {
    const [r, g, b] = [rgb[from] ?? 0, rgb[from + 1] ?? 0, rgb[from + 2] ?? 0];
    row[x] = (1_081_344 + 11_966 * r + 40_254 * g + 4_064 * b) >> 16;
  }
}

/** One row of colours from two rows of pixels; the sums of four are divided with the weights. */
function putColours(row: { blue: Uint8Array; red: Uint8Array }, rgb: Buffer, start: number): void {
  const { blue, red } = row;
  const wide = blue.length * 6;
  for (let x = 0, from = start; x < blue.length; x++, from += 6) {
    const [r, g, b] = [four(rgb, from, wide), four(rgb, from + 1, wide), four(rgb, from + 2, wide)];
    blue[x] = (33_685_504 - 6_596 * r - 22_189 * g + 28_785 * b) >> 18;
    red[x] = (33_685_504 + 28_785 * r - 26_146 * g - 2_639 * b) >> 18;
  }
}

function four(rgb: Buffer, at: number, below: number): number {
  return (rgb[at] ?? 0) + (rgb[at + 3] ?? 0) + (rgb[at + below] ?? 0) + (rgb[at + below + 3] ?? 0);
}
