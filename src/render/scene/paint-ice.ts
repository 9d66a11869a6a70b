import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { layeredNoise } from '../paint/seeded-random.ts';
import { dash, paintWater } from './paint-water.ts';
import { eachSlot, type Stage } from './stage.ts';

/** Floes and towers of ice under bands of polar light. */
export function paintArctic(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('arctic');
  paintWater(stage, plan.horizon, 0.8);
  const ice = lighten(blend(light.sky[3] ?? 0, 0xd8ecf8, 0.6), light.dark ? -0.3 : 0.1);
  for (let berg = 0; berg < 5; berg++) {
    const near = berg / 5;
    const x = random.between(-0.8, 0.8);
    const y = plan.horizon + 0.02 + near * near * 0.34;
    const half = random.between(0.06, 0.16) * (0.7 + near);
    const high = half * random.between(0.4, 1.6);
    const lean = random.between(-0.4, 0.4) * half;
    const shade = blend(ice, light.sky[1] ?? 0, 0.35 - near * 0.15);
    painter.polygon(
      [x - half, y, x - half * 0.7, y - high * 0.5, x + lean, y - high, x + half * 0.6, y - high * 0.55, x + half, y],
      ice,
    );
    painter.polygon(
      [
        x + lean,
        y - high,
        x + half * 0.6,
        y - high * 0.55,
        x + half,
        y,
        x + lean * 0.4,
        y,
        x + lean * 0.7,
        y - high * 0.4,
      ],
      shade,
    );
    dash(stage, {
      x,
      y: y + 0.006,
      width: half * 2.6,
      thick: 0.012,
      colour: blend(ice, light.sky[2] ?? 0, 0.5),
    });
  }
  if (random.chance(0.7))
    painter.below((x) => 0.86 + layeredNoise(7, x * 2, 2) * 0.03, [ice, blend(ice, light.sky[1] ?? 0, 0.2)], 0.1);
  eachSlot(stage, { name: 'crack', step: 0.3, reach: 0.2 }, (x, own) => {
    if (own.chance(0.3))
      painter.silhouette('penguin', {
        x,
        y: 0.88,
        size: own.between(0.05, 0.09),
        colour: light.near,
      });
  });
}
