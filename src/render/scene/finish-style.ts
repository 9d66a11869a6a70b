import type { Canvas } from '../paint/canvas.ts';
import { blend, type Rgb } from '../paint/palette.ts';
import { contrast, lighten, luma, saturate } from '../paint/rgb.ts';

type Grade = (colour: Rgb) => Rgb;

const GRADES: Record<string, Grade> = {
  noir: (colour) => contrast(luma(colour) * 0x010101, 1.35),
  neon: (colour) => contrast(saturate(blend(colour, 0xc02ad8, 0.18), 1.5), 1.12),
  vintage: (colour) => blend(saturate(colour, 0.45), 0xd8a866, 0.28),
  pastel: (colour) => lighten(saturate(colour, 0.75), 0.34),
  poster: (colour) => stepped(saturate(contrast(colour, 1.2), 1.3), 5),
  minimal: (colour) => stepped(saturate(colour, 0.85), 9),
};

/** Light that falls on everything: a style recolours the palette, which costs nothing for each pixel. */
export function gradeStyles(canvas: Canvas, styles: readonly string[]): void {
  for (const style of styles.slice(0, 2)) {
    const grade = GRADES[style];
    if (grade) canvas.palette.recolour(grade);
  }
}

/** Changes of the surface itself. */
export function finishSurface(canvas: Canvas, styles: readonly string[]): void {
  if (styles.includes('pixel')) coarsen(canvas, Math.max(4, Math.round(canvas.height / 96)));
  if (styles.includes('framed')) frame(canvas, Math.round(canvas.height * 0.028));
}

function coarsen(canvas: Canvas, side: number): void {
  const { width, height, pixels } = canvas;
  for (let y = 0; y < height; y += side) {
    for (let x = 0; x < width; x += side) {
      const middle = Math.min(height - 1, y + (side >> 1)) * width + Math.min(width - 1, x + (side >> 1));
      canvas.fillRow(y, x, x + side, pixels[middle] ?? 0);
    }
    for (let below = y + 1; below < Math.min(height, y + side); below++) {
      pixels.copyWithin(below * width, y * width, (y + 1) * width);
    }
  }
}

function frame(canvas: Canvas, wide: number): void {
  const { width, height } = canvas;
  const rim = canvas.palette.add(0xf4efe4);
  const line = canvas.palette.add(0xc9bda6);
  for (const [inset, place] of [
    [wide, line],
    [wide - 3, rim],
  ] as const) {
    canvas.fillBox([0, 0, width, inset], place);
    canvas.fillBox([0, height - inset, width, height], place);
    canvas.fillBox([0, 0, inset, height], place);
    canvas.fillBox([width - inset, 0, width, height], place);
  }
}

function stepped(colour: Rgb, steps: number): Rgb {
  const part = (shift: number) => {
    const value = (colour >> shift) & 255;
    return Math.round(Math.round((value / 255) * steps) * (255 / steps)) << shift;
  };
  return part(16) | part(8) | part(0);
}
