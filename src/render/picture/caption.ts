import type { Canvas } from '../paint/canvas.ts';
import type { Lettering } from '../paint/lettering.ts';
import { runsLeftwards } from '../paint/text-runs.ts';
import { visibleText, wrapText } from '../paint/wrap-text.ts';

/** Sizes tried for a caption, largest first, each with the lines it may take. */
const SIZES = [
  { size: 38, lines: 2 },
  { size: 30, lines: 3 },
  { size: 24, lines: 4 },
  { size: 19, lines: 6 },
];
const MARGIN = 48;
const MARK_SIZE = 17;

export interface Caption {
  prompt: string;
  /** The small line that says what this is. */
  mark: string;
}

/** Sets the prompt on a dark glass at the foot of the picture, and below it the mark. */
export function drawCaption(canvas: Canvas, lettering: Lettering, caption: Caption): void {
  const { size, lines } = typeset(lettering, visibleText(caption.prompt), canvas.width - 2 * MARGIN);
  const step = Math.round(size * 1.3);
  const top = canvas.height - 62 - lines.length * step;
  const { palette } = canvas;
  canvas.glaze({ left: 0, top, right: canvas.width, bottom: canvas.height }, palette.ensure(0x0a0c14), 5);
  const white = palette.ensure(0xffffff);
  for (const [row, line] of lines.entries()) {
    const baseline = top + 14 + Math.round(size * 0.95) + row * step;
    const x = runsLeftwards(line) ? canvas.width - MARGIN - lettering.measure(line, size) : MARGIN;
    lettering.draw(canvas, line, { x, baseline, size, place: white });
  }
  const baseline = canvas.height - 22;
  const pale = palette.ensure(0xc9ced8);
  drawDiamond(canvas, { x: MARGIN + 7, y: baseline - 6, place: palette.ensure(0xffc857) });
  lettering.draw(canvas, caption.mark, { x: MARGIN + 24, baseline, size: MARK_SIZE, place: pale });
}

function typeset(lettering: Lettering, text: string, width: number): { size: number; lines: string[] } {
  for (const { size, lines: most } of SIZES) {
    const lines = wrapText(text, width, most, (part) => lettering.measure(part, size));
    if (lines.at(-1)?.endsWith('…') !== true || size === SIZES.at(-1)?.size) return { size, lines };
  }
  return { size: MARK_SIZE, lines: [] };
}

function drawDiamond(canvas: Canvas, spot: { x: number; y: number; place: number }): void {
  for (let row = -6; row <= 6; row++) {
    const half = 6 - Math.abs(row);
    canvas.fillRow(spot.y + row, spot.x - half, spot.x + half + 1, spot.place);
  }
}
