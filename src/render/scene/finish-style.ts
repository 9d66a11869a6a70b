import { blend, contrast, lighten, luma, type Rgb, saturate } from '../paint/rgb.ts';

type Grade = (colour: Rgb) => Rgb;

const GRADES: Record<string, Grade> = {
  noir: (colour) => contrast(luma(colour) * 0x010101, 1.35),
  neon: (colour) => contrast(saturate(blend(colour, 0xc02ad8, 0.18), 1.5), 1.12),
  vintage: (colour) => blend(saturate(colour, 0.45), 0xd8a866, 0.28),
  pastel: (colour) => lighten(saturate(colour, 0.75), 0.34),
  poster: (colour) => stepped(saturate(contrast(colour, 1.2), 1.3), 5),
  minimal: (colour) => stepped(saturate(colour, 0.85), 9),
};

/** Light that falls on everything: what the styles of a scene make of each colour. */
export function gradeOf(styles: readonly string[]): Grade {
  const grades = styles.slice(0, 2).flatMap((style) => GRADES[style] ?? []);
  return (colour) => grades.reduce((graded, grade) => grade(graded), colour);
}

function stepped(colour: Rgb, steps: number): Rgb {
  const part = (shift: number) => {
    const value = (colour >> shift) & 255;
    return Math.round(Math.round((value / 255) * steps) * (255 / steps)) << shift;
  };
  return part(16) | part(8) | part(0);
}
