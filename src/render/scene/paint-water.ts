import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { sunPlace } from './paint-sky.ts';
import { mirrored, type Stage } from './stage.ts';

const SHADES = 26;

/** Water from `y` down: the sky given back, a path of light under the sun, ripples that grow towards the viewer. */
export function paintWater(stage: Stage, y: number, calm = 0.4): void {
  const { painter, light } = stage;
  painter.below(() => y, mirrored(light, SHADES), 1.02 - y);
  const bright = blend(light.sky[3] ?? 0, light.body, 0.5);
  const deep = lighten(light.sky[0] ?? 0, -0.25);
  const sun = sunPlace(stage);
  const rows = 54;
  for (let row = 0; row < rows; row++) {
    const near = row / rows;
    const level = y + 0.004 + near * near * (1.02 - y);
    const thick = 0.0012 + near * 0.005;
    const random = stage.plan.random.branch(`ripple${row}`);
    const width = sun.size * (0.7 + near * 2.2) * random.between(0.3, 1.1);
    if (stage.plan.weather !== 'storm')
      dash(stage, {
        x: sun.x + random.between(-0.4, 0.4) * sun.size,
        y: level,
        width,
        thick,
        colour: bright,
      });
    const count = Math.round((1 - near * 0.7) * 7 * (1.2 - calm));
    const reach = painter.right - painter.left + 0.4;
    for (let at = 0; at < count; at++) {
      const x = -reach / 2 + random.next() * reach;
      const shade = blend(random.chance(0.5) ? bright : deep, light.sky[2] ?? 0, 0.62);
      dash(stage, {
        x,
        y: level,
        width: (0.02 + near * 0.12) * random.next(),
        thick: thick * 0.8,
        colour: shade,
      });
    }
  }
}

/** A glint that tapers off to both sides. Water has hundreds, so that their fading ends are laid in two steps. */
export function dash(
  { painter }: Stage,
  line: { x: number; y: number; width: number; thick: number; colour: number },
): void {
  const { canvas, view } = painter;
  const [x, y] = [line.x * view.scale + view.x, line.y * view.scale + view.y];
  const high = (line.thick * view.scale) / 2;
  const place = painter.place(line.colour);
  for (let row = Math.floor(y - high); row < y + high; row++) {
    const inside = high + 0.5 - Math.abs(row + 0.5 - y);
    const reach = (covered: number) =>
      Math.round(Math.max(0, ((inside - covered) / high) * (line.width / 2) * view.scale));
    const [outer, middle, inner] = [reach(1 / 6), reach(1 / 2), reach(5 / 6)];
    const centre = Math.round(x);
    canvas.fillRow(row, centre - inner, centre + inner, place);
    for (const [from, to, step] of [
      [middle, outer, 3],
      [inner, middle, 5],
    ] as const) {
      canvas.glazeRow(row, centre - to, centre - from, { place, step });
      canvas.glazeRow(row, centre + from, centre + to, { place, step });
    }
  }
}
