import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { smoothNoise } from '../paint/seeded-random.ts';
import { sunPlace } from './paint-sky.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

const SAND = 0xe0b070;

/** Dunes with a sharp crest between the lit and the shaded side; pyramids or cacti. */
export function paintDesert(stage: Stage): void {
  const { plan, painter, spread } = stage;
  const random = plan.random.branch('desert');
  const pyramids = random.chance(0.4) ? 1 + random.below(3) : 0;
  for (let at = 0; at < pyramids; at++) {
    const size = random.between(0.12, 0.3);
    paintPyramid(stage, {
      x: plan.focus * spread * 0.6 - at * 0.22,
      y: plan.horizon + 0.05,
      size: size * (1 - at * 0.2),
    });
  }
  const rows = 3 + random.below(2);
  for (let row = 0; row < rows; row++) {
    paintDune(stage, {
      row,
      depth: (row + 0.7) / rows,
      y: plan.horizon + 0.05 + (row / rows) * 0.34,
      tall: random.between(0.07, 0.17),
      step: random.between(0.6, 1.2),
    });
  }
  if (pyramids > 0) return;
  eachSlot(stage, { name: 'cactus', step: 0.33, reach: 0.2 }, (x, own) => {
    if (own.chance(0.45))
      painter.silhouette('cactus', {
        x,
        y: own.between(0.74, 0.86),
        size: own.between(0.1, 0.26),
        colour: tone(stage.light, 1, 0x2f5d3a),
        flip: own.chance(0.5),
      });
  });
}

function paintPyramid({ painter, light }: Stage, { x, y, size }: { x: number; y: number; size: number }): void {
  painter.polygon([x - size, y, x, y - size * 1.1, x + size, y], tone(light, 0.4, SAND));
  painter.polygon([x, y - size * 1.1, x + size, y, x + size * 0.3, y], lighten(tone(light, 0.5, SAND), -0.25));
}

function paintDune(stage: Stage, dune: { row: number; depth: number; y: number; tall: number; step: number }): void {
  const { painter, light, plan } = stage;
  const lit = tone(light, dune.depth, SAND);
  const shaded = lighten(blend(lit, light.near, 0.3), -0.1);
  const away = sunPlace(stage).x > 0 ? -1 : 1;
  const seed = plan.random.branch(`dune${dune.row}`).below(9999);
  painter.below((x) => dune.y + smoothNoise(seed, x * 2) * 0.02, [lit, lighten(lit, -0.06), lighten(lit, -0.14)], 0.3);
  eachSlot(stage, { name: `crest${dune.row}`, step: dune.step, reach: 1 }, (slot, random) => {
    const x = slot + random.between(-0.3, 0.3);
    const [top, half] = [dune.y - dune.tall * random.between(0.5, 1.1), random.between(0.5, 0.8)];
    const bow = (from: number, to: number, bend: number) => curve([from, dune.y + 0.05], [to, top], bend);
    painter.polygon([...bow(x - away * half, x, -0.4), ...reversed(bow(x + away * half * 0.9, x, -0.4))], lit);
    const foot = curve([x, top], [x + away * half * 0.22, dune.y + 0.14], away * 0.3);
    painter.polygon([...foot, ...bow(x + away * half * 0.9, x, -0.4)], shaded);
  });
}

/** A sagging line between two points. */
function curve([x0, y0]: [number, number], [x1, y1]: [number, number], bend: number): number[] {
  const points: number[] = [];
  for (let step = 0; step <= 10; step++) {
    const t = step / 10;
    const sag = 4 * t * (1 - t) * bend * 0.12;
    points.push(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t - sag * (y1 - y0 < 0 ? -1 : 1) * -1);
  }
  return points;
}

function reversed(points: number[]): number[] {
  const turned: number[] = [];
  for (let at = points.length - 2; at >= 0; at -= 2) turned.push(points[at] ?? 0, points[at + 1] ?? 0);
  return turned;
}
