import type { Canvas, Corners } from '../paint/canvas.ts';
import { blend } from '../paint/palette.ts';
import type { ClearArea } from './camera-move.ts';
import { BLOCK, type ClipLayout } from './clip-layout.ts';
import type { EngineLook } from './engine-look.ts';
import type { StillPart } from './motion-field.ts';

/** How much longer a bracket is than thick. */
const BRACKET = 6;

interface Rim {
  columns: number;
  rows: number;
}

/** Rows and columns of macroblocks at the edges that an engine's rim takes, at each side and at the top. */
function rimOf(look: EngineLook, layout: ClipLayout): Rim {
  const { cell } = layout;
  const rims: Record<string, Rim> = {
    letterbox: { columns: 0, rows: 2 * cell },
    sprockets: { columns: 2 * cell, rows: 0 },
    frame: { columns: cell, rows: cell },
    brackets: { columns: cell, rows: cell },
    corners: { columns: cell, rows: cell },
    hairline: { columns: 0, rows: cell },
  };
  return rims[look.edge] ?? { columns: 0, rows: 0 };
}

/** What a rim leaves of the picture above the slate: seen from any point in it, nothing of the rim stands before the scene. */
export function clearArea(look: EngineLook, layout: ClipLayout): ClearArea {
  const { rows, columns } = rimOf(look, layout);
  const reach = look.edge === 'brackets' ? BRACKET : 1;
  return {
    left: columns * reach * BLOCK,
    top: rows * reach * BLOCK,
    right: (Math.floor(layout.width / BLOCK) - columns * reach) * BLOCK,
    bottom: layout.barRow * BLOCK,
  };
}

/** What of a rim has to stand still: all that it covers, but of open corners only the corners. */
export function stillRim(look: EngineLook, layout: ClipLayout): StillPart[] {
  const rim = rimOf(look, layout);
  const [wide, high] = [rim.columns * BLOCK, rim.rows * BLOCK];
  const right = Math.floor(layout.width / BLOCK) * BLOCK - wide;
  const whole = { x: 0, y: 0, width: layout.columns * BLOCK, height: layout.barRow * BLOCK };
  if (look.edge === 'corners' || look.edge === 'brackets') {
    const bottom = layout.barRow * BLOCK - high;
    const short = look.edge === 'corners';
    const reach = short ? wide : wide * BRACKET;
    const rows = short ? [0, bottom] : [0];
    return rows.flatMap((y) => [
      { x: 0, y, width: reach, height: high },
      { x: right + wide - reach, y, width: reach, height: high },
      { x: 0, y, width: wide, height: reach },
      { x: right, y, width: wide, height: reach },
    ]);
  }
  const sides = [
    { ...whole, width: wide },
    { ...whole, x: right, width: whole.width - right },
  ];
  const top = { ...whole, height: high };
  return [...(wide > 0 ? sides : []), ...(high > 0 ? [top] : [])];
}

/** Draws the rim around the part of the picture that is shown above the slate. */
export function drawRim(canvas: Canvas, layout: ClipLayout, look: EngineLook): void {
  const rim = rimOf(look, layout);
  const area = {
    left: 0,
    top: 0,
    right: Math.floor(layout.width / BLOCK) * BLOCK,
    bottom: layout.barRow * BLOCK,
    ...{ wide: rim.columns * BLOCK, high: rim.rows * BLOCK, thick: 2 + layout.cell * 2 },
  };
  const bar = canvas.palette.ensure(look.bar);
  const accent = canvas.palette.ensure(look.accent);
  if (look.edge === 'letterbox') canvas.fillBox([0, area.top, canvas.width, area.top + area.high], bar);
  if (look.edge === 'hairline')
    canvas.fillBox([0, area.top + area.thick, canvas.width, area.top + 2 * area.thick], accent);
  if (look.edge === 'sprockets')
    drawSprockets(canvas, area, {
      bar,
      hole: canvas.palette.ensure(blend(look.bar, 0xffffff, 0.8)),
    });
  if (look.edge === 'frame') drawFrame(canvas, area, canvas.palette.ensure(blend(look.accent, 0xffffff, 0.7)));
  if (look.edge === 'brackets' || look.edge === 'corners')
    drawCorners(canvas, area, { accent, long: look.edge === 'brackets' });
}

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
  wide: number;
  high: number;
  thick: number;
}

function drawSprockets(canvas: Canvas, area: Area, places: { bar: number; hole: number }): void {
  const { wide } = area;
  for (const left of [area.left, area.right - wide]) {
    const right = left === area.left ? left + wide : canvas.width;
    canvas.fillBox([left, area.top, right, area.bottom], places.bar);
    for (let y = area.top + wide / 2; y + wide / 2 < area.bottom; y += wide) {
      canvas.fillBox([left + wide / 4, y, left + (wide * 3) / 4, y + wide / 2], places.hole);
    }
  }
}

function drawFrame(canvas: Canvas, area: Area, place: number): void {
  const { wide } = area;
  canvas.fillBox([0, area.top, canvas.width, area.top + area.high], place);
  canvas.fillBox([area.left, area.top, area.left + wide, area.bottom], place);
  canvas.fillBox([area.right - wide, area.top, canvas.width, area.bottom], place);
}

function drawCorners(canvas: Canvas, area: Area, look: { accent: number; long: boolean }): void {
  const { wide, thick } = area;
  const reach = look.long ? wide * 5 : wide - thick;
  for (const [x, side] of [
    [area.left + thick, 1],
    [area.right - thick, -1],
  ] as const) {
    for (const [y, down] of [
      [area.top + thick, 1],
      [area.bottom - thick, -1],
    ] as const) {
      if (down < 0 && look.long) continue;
      fillCorners(canvas, [x, y, x + side * reach, y + down * thick], look.accent);
      fillCorners(canvas, [x, y, x + side * thick, y + down * reach], look.accent);
    }
  }
}

/** A box between two of its corners, whichever. */
function fillCorners(canvas: Canvas, [x, y, toX, toY]: Corners, place: number): void {
  canvas.fillBox([Math.min(x, toX), Math.min(y, toY), Math.max(x, toX), Math.max(y, toY)], place);
}
