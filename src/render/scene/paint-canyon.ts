import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise, smoothNoise } from '../paint/seeded-random.ts';
import { paintRidge } from './paint-grove.ts';
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

/** A single cone with glowing rivers and a column of smoke. */
export function paintVolcano(stage: Stage): void {
  const { plan, painter, light, spread } = stage;
  const random = plan.random.branch('volcano');
  const x = plan.focus * spread * 0.5;
  const height = random.between(0.3, 0.48);
  const top = plan.horizon + 0.1 - height;
  const mouth = random.between(0.03, 0.07);
  for (let puff = 0; puff < 16; puff++) {
    const up = puff / 16;
    const smoke = blend(light.haze, 0x2a2630, 0.6 - up * 0.4);
    painter.disc(x + up * up * random.between(0, 0.5), top - up * 0.4, 0.03 + up * random.between(0.04, 0.1), smoke);
  }
  const rock = tone(light, 0.75, 0x3a3238);
  const half = random.between(0.4, 0.6);
  const foot = plan.horizon + 0.12;
  // Its flanks go on until well below where the ash may lie lowest.
  const [wide, base] = [half * 1.3, foot + 0.1];
  const slope = [
    x - wide,
    base,
    x - half * 0.35,
    top + height * 0.45,
    x - mouth,
    top,
    x + mouth,
    top,
    x + half * 0.35,
    top + height * 0.45,
    x + wide,
    base,
  ];
  painter.polygon(slope, rock);
  for (let river = 0; river < 3; river++) {
    const points: number[] = [];
    const lean = random.between(-0.8, 0.8);
    const path = (down: number) => x + lean * down * half * 0.7 + smoothNoise(river * 77, down * 5) * 0.02;
    for (let step = 0; step <= 8; step++)
      points.push(path(step / 8) - 0.008 * (1 + step / 8), top + (step / 8) * height * 0.8);
    for (let step = 8; step >= 0; step--)
      points.push(path(step / 8) + 0.008 * (1 + step / 8), top + (step / 8) * height * 0.8);
    painter.polygon(points, river === 1 ? 0xffc24a : 0xff6a2a);
  }
  painter.polygon(
    [x - mouth, top, x + mouth, top, x + mouth * 0.6, top + 0.014, x - mouth * 0.6, top + 0.014],
    0xffd86b,
  );
  paintRidge(stage, { name: 'ash', y: foot + 0.04, rise: 0.06, swing: 2, rough: 3, depth: 0.85 });
  paintRidge(stage, { name: 'ashfront', y: foot + 0.2, rise: 0.1, swing: 1.3, rough: 3, depth: 1 });
}
