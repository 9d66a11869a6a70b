import { blend } from '../paint/palette.ts';
import { wave } from '../paint/seeded-random.ts';
import { paintRidge } from './paint-grove.ts';
import { eachSlot, type Stage } from './stage.ts';

/** Below the surface: rays of light, rocks, corals, weed, bubbles and a shoal. */
export function paintDeep(stage: Stage): void {
  const { plan, painter, light } = stage;
  const random = plan.random.branch('deep');
  const top = blend(light.dark ? 0x0f3a5c : 0x3fb3d0, light.sky[2] ?? 0, 0.25);
  const low = blend(0x06243f, light.near, 0.2);
  painter.below(
    () => painter.top - 0.1,
    Array.from({ length: 40 }, (_, at) => blend(top, low, at / 39)),
    1.2,
  );
  for (let ray = 0; ray < 7; ray++) {
    const x = random.between(-0.8, 0.8);
    const [wide, lean] = [random.between(0.02, 0.08), random.between(-0.3, 0.1)];
    painter.polygon([x, -0.2, x + wide, -0.2, x + wide * 2 + lean, 0.55, x + lean, 0.55], blend(top, 0xffffff, 0.12));
  }
  for (let row = 0; row < 3; row++) {
    paintRidge(
      { ...stage, light: { ...light, haze: blend(top, low, 0.6) } },
      {
        name: `bed${row}`,
        y: 0.72 + row * 0.1,
        rise: 0.16,
        swing: 2 + row,
        rough: 4,
        depth: 0.3 + row * 0.3,
      },
    );
    paintCorals(stage, row);
  }
  eachSlot(stage, { name: 'bubble', step: 0.09, reach: 0 }, (x, own) => {
    for (let at = 0; at < 3; at++)
      painter.disc(x + own.next() * 0.05, own.between(0.1, 0.8), own.between(0.002, 0.008), blend(top, 0xffffff, 0.4));
  });
  const school = random.between(0.15, 0.5);
  for (let fish = 0; fish < 5 + random.below(14); fish++) {
    painter.silhouette('fish', {
      x: plan.focus * -0.25 + random.between(-0.3, 0.3),
      y: school + random.between(-0.1, 0.14),
      size: random.between(0.025, 0.06),
      colour: blend(low, light.leaf, 0.6),
      flip: plan.focus > 0,
    });
  }
}

function paintCorals(stage: Stage, row: number): void {
  const { painter, light } = stage;
  const hues = [0xf0706a, 0xf2a65a, 0xd86ab0, 0x6ac0a0, light.leaf];
  eachSlot(stage, { name: `coral${row}`, step: 0.12, reach: 0.1 }, (x, own) => {
    if (!own.chance(0.6)) return;
    const colour = blend(own.pick(hues), 0x0a3050, 0.55 - row * 0.18);
    const y = 0.74 + row * 0.1 + own.between(-0.03, 0.05);
    if (own.chance(0.4)) painter.silhouette('coral', { x, y, size: own.between(0.06, 0.13), colour });
    else paintWeed(painter, { x, y, tall: own.between(0.08, 0.26), seed: own.below(999) }, colour);
  });
}

function paintWeed(
  painter: Stage['painter'],
  weed: { x: number; y: number; tall: number; seed: number },
  colour: number,
): void {
  const points: number[] = [];
  const sway = (up: number) => weed.x + wave(up * 1.2 + weed.seed / 999) * 0.014 * up;
  for (let step = 0; step <= 10; step++)
    points.push(sway(step / 10) - 0.006 * (1 - step / 10), weed.y - (weed.tall * step) / 10);
  for (let step = 10; step >= 0; step--)
    points.push(sway(step / 10) + 0.006 * (1 - step / 10), weed.y - (weed.tall * step) / 10);
  painter.polygon(points, colour);
}
