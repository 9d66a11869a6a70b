import { lighten } from '../paint/rgb.ts';
import { paintRidge } from './paint-ridge.ts';
import { deepening, type Stage, tone } from './stage.ts';

/** A road that runs to the horizon between fields or firs. */
export function paintRoad(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('road');
  paintRidge(stage, {
    name: 'range',
    y: plan.horizon + 0.02,
    rise: random.between(0.1, 0.3),
    swing: 1.8,
    rough: 4,
    depth: 0.3,
  });
  const field = tone(light, 0.75);
  painter.below(() => plan.horizon + 0.02, deepening(field), 0.5);
  const end = plan.focus * 0.25;
  const bend = random.between(-0.5, 0.5);
  const middle = (t: number) => end + bend * (t * (1 - t)) + (t * t * -end) / 2;
  const rail = random.chance(0.3);
  const asphalt = tone(light, 0.95, rail ? 0x6b5a4c : 0x474a52);
  const strip = (from: number, to: number, colour: number) => {
    const points: number[] = [];
    for (let step = 0; step <= 16; step++)
      points.push(
        middle(step / 16) + from * (step / 16) * (step / 16 + 0.02),
        plan.horizon + 0.02 + (step / 16) * (1.05 - plan.horizon),
      );
    for (let step = 16; step >= 0; step--)
      points.push(
        middle(step / 16) + to * (step / 16) * (step / 16 + 0.02),
        plan.horizon + 0.02 + (step / 16) * (1.05 - plan.horizon),
      );
    painter.polygon(points, colour);
  };
  strip(-0.42, 0.42, asphalt);
  for (const side of rail ? [-0.2, 0.2] : [-0.4, 0.38]) strip(side, side + 0.02, lighten(asphalt, 0.4));
  for (let mark = 0; mark < 9 && !rail; mark++) {
    const near = (mark + 1) / 10;
    const y = plan.horizon + 0.02 + near * near * 0.5;
    painter.polygon(
      [
        middle(near) - 0.004 * near,
        y,
        middle(near) + 0.004 * near,
        y,
        middle(near) + 0.014 * near,
        y + 0.05 * near,
        middle(near) - 0.014 * near,
        y + 0.05 * near,
      ],
      lighten(asphalt, 0.6),
    );
  }
  plantPosts(stage, end, rail ? 'pine-tall' : 'pine');
}

/** Trees on both sides, from where the road ends to the viewer. */
function plantPosts({ plan, painter, light }: Stage, end: number, shape: 'pine-tall' | 'pine'): void {
  for (let post = 0; post < 7; post++) {
    const near = ((post + 1) / 8) * ((post + 1) / 8);
    const y = plan.horizon + 0.03 + near * 0.4;
    for (const side of [-1, 1])
      painter.silhouette(shape, {
        x: end * (1 - near) + side * (0.06 + near * 0.62),
        y,
        size: 0.04 + near * 0.4,
        colour: tone(light, 0.4 + near * 0.6, light.leaf),
      });
  }
}
