import type { Canvas } from '../paint/canvas.ts';

/** A picture as H.264 wants it: brightness for each pixel, two colours for each square of four (BT.709, limited range). */
export interface Planes {
  width: number;
  height: number;
  /** Brightness, then both colour planes. */
  bytes: Buffer;
}

export function emptyPlanes(width: number, height: number): Planes {
  return { width, height, bytes: Buffer.allocUnsafe((width * height * 3) / 2) };
}

/** Looks each palette place up instead of computing each pixel. */
export function planesOfCanvas(canvas: Canvas): Planes {
  const { width, height, pixels } = canvas;
  const planes = emptyPlanes(width, height);
  const table = colourTable(canvas);
  const { bytes } = planes;
  const size = width * height;
  for (let at = 0; at < size; at++) bytes[at] = table.luma[pixels[at] ?? 0] ?? 16;
  let to = size;
  const quarter = size / 4;
  for (let y = 0; y < height; y += 2) {
    const end = (y + 1) * width;
    for (let at = y * width; at < end; at += 2, to++) {
      const a = pixels[at] ?? 0;
      const b = pixels[at + 1] ?? 0;
      const c = pixels[at + width] ?? 0;
      const d = pixels[at + width + 1] ?? 0;
      if (a === b && a === c && a === d) {
        bytes[to] = table.blue[a] ?? 128;
        bytes[to + quarter] = table.red[a] ?? 128;
        continue;
      }
      const { blue, red } = table;
      bytes[to] = ((blue[a] ?? 0) + (blue[b] ?? 0) + (blue[c] ?? 0) + (blue[d] ?? 0) + 2) >> 2;
      bytes[to + quarter] =
        ((red[a] ?? 0) + (red[b] ?? 0) + (red[c] ?? 0) + (red[d] ?? 0) + 2) >> 2;
    }
  }
  return planes;
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
    let from = y * spot.width * 3;
    let to = (spot.y + y) * width + spot.x;
    for (let x = 0; x < spot.width; x++, from += 3) {
      bytes[to++] = lumaOf(rgb[from] ?? 0, rgb[from + 1] ?? 0, rgb[from + 2] ?? 0);
    }
  }
  for (let y = 0; y < spot.height; y += 2) {
    let to = size + ((spot.y + y) >> 1) * (width >> 1) + (spot.x >> 1);
    for (let x = 0; x < spot.width; x += 2, to++) {
      const at = (y * spot.width + x) * 3;
      const below = at + spot.width * 3;
      const mean = (part: number) =>
        ((rgb[at + part] ?? 0) +
          (rgb[at + 3 + part] ?? 0) +
          (rgb[below + part] ?? 0) +
          (rgb[below + 3 + part] ?? 0)) /
        4;
      const [r, g, b] = [mean(0), mean(1), mean(2)];
      bytes[to] = blueOf(r, g, b);
      bytes[to + size / 4] = redOf(r, g, b);
    }
  }
}

function lumaOf(r: number, g: number, b: number): number {
  return (16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b) | 0;
}

function blueOf(r: number, g: number, b: number): number {
  return (128.5 - 0.10064 * r - 0.33857 * g + 0.43922 * b) | 0;
}

function redOf(r: number, g: number, b: number): number {
  return (128.5 + 0.43922 * r - 0.39894 * g - 0.04027 * b) | 0;
}
