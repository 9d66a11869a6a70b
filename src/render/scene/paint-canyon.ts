import { lighten } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise } from '../paint/seeded-random.ts';
import { paintRidge } from './paint-ridge.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

const CLAY = 0xb5603a;

/** Table mountains in layers of stone, and a chasm or a plain before them. */
export function paintCanyon(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('canyon');
  for (let row = 0; row < 3; row++) {
    const depth = 0.25 + row * 0.27;
    const y = plan.horizon + 0.06 + row * 0.1;
    eachSlot(stage, { name: `mesa${row}`, step: 0.34 + row * 0.14, reach: 0.6 }, (slot, own) => {
      if (own.chance(0.3)) return;
      const x = slot + own.between(-0.15, 0.15);
      paintMesa(stage, {
        x,
        y,
        half: own.between(0.05, 0.2) * (1 + row * 0.3),
        high: own.between(0.1, 0.34),
        depth,
        seed: own.below(9999),
      });
    });
    const floor = tone(light, depth + 0.1, CLAY);
    painter.below((x) => y + layeredNoise(row, x * 3, 2) * 0.012, [floor, lighten(floor, -0.12)], 0.12);
  }
  const rim = paintRidge(stage, {
    name: 'rim',
    y: 0.9,
    rise: 0.12,
    swing: 1.5,
    rough: 4,
    depth: 1,
  });
  const x = plan.focus * -0.3;
  if (random.chance(0.5)) painter.silhouette('cactus', { x, y: rim(x) + 0.02, size: 0.16, colour: light.near });
}

function paintMesa(
  { painter, light }: Stage,
  mesa: { x: number; y: number; half: number; high: number; depth: number; seed: number },
): void {
  const stone = tone(light, mesa.depth, CLAY);
  const bands = 6;
  for (let band = 0; band < bands; band++) {
    const [top, bottom] = [mesa.high * (1 - band / bands), mesa.high * (1 - (band + 1) / bands) - 0.004];
    const wide = (level: number) =>
      mesa.half * (1 + (1 - level / mesa.high) * 0.5 + 0.06 * smoothNoise(mesa.seed, level * 60));
    const colour = lighten(stone, band % 2 === 0 ? 0.03 : -0.08);
    painter.polygon(
      [
        mesa.x - wide(top),
        mesa.y - top,
        mesa.x + wide(top),
        mesa.y - top,
        mesa.x + wide(bottom),
        mesa.y - bottom,
        mesa.x - wide(bottom),
        mesa.y - bottom,
      ],
      colour,
    );
    painter.polygon(
      [
        mesa.x + wide(top) * 0.35,
        mesa.y - top,
        mesa.x + wide(top),
        mesa.y - top,
        mesa.x + wide(bottom),
        mesa.y - bottom,
        mesa.x + wide(bottom) * 0.3,
        mesa.y - bottom,
      ],
      lighten(colour, -0.2),
    );
  }
}
