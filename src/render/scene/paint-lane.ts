import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import type { PlacedFigure } from './figure-places.ts';
import { mirrored, type Stage, tone } from './stage.ts';

const SHADES = 26;
const ASPHALT = 0x63656f;
/** Above whoever goes along it. */
const ROOM = 0.03;

/**
 * A street or open water on which figures cross the picture: every row of it is the same all along, so that a part of it
 * can be shown somewhere else.
 */
export function paintLane(stage: Stage, placed: readonly PlacedFigure[]): void {
  const [first] = placed;
  if (!first || first.figure.shape.home === 'air') return;
  const top = Math.min(...placed.map(({ figure, y, size }) => y - figure.shape.height * size)) - ROOM;
  if (first.figure.shape.home === 'water') paintOpenWater(stage, top);
  else paintStreet(stage, top);
}

function paintStreet({ painter, light }: Stage, top: number): void {
  const asphalt = tone(light, 0.9, ASPHALT);
  painter.below(() => top, [lighten(asphalt, 0.42)], 0.008);
  painter.below(() => top + 0.008, [lighten(asphalt, -0.2)], 0.006);
  painter.below(() => top + 0.014, [lighten(asphalt, 0.1), asphalt, lighten(asphalt, -0.1)], 1 - top);
}

function paintOpenWater({ painter, light, plan }: Stage, top: number): void {
  const shades = mirrored(light, SHADES);
  const high = 1.02 - plan.horizon;
  const above = Math.max(0, Math.round((SHADES * (top - plan.horizon)) / high));
  painter.below(() => top, shades.slice(above), 1.02 - top);
  for (const [at, y] of [0.07, 0.15, 0.21, 0.25].entries()) {
    const shade = shades[Math.min(SHADES - 1, above + at * 4)] ?? 0;
    painter.box(painter.left, top + y, [painter.right - painter.left, 0.003], blend(shade, 0xffffff, 0.22));
  }
}
