import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { smoothNoise } from '../paint/seeded-random.ts';
import { paintGrove, paintRidge } from './paint-grove.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

/** A wide field with blades and flowers close by. */
export function paintMeadow(stage: Stage): void {
  const { plan } = stage;
  const random = plan.random.branch('meadow');
  paintRidge(stage, {
    name: 'hedge',
    y: plan.horizon + 0.04,
    rise: 0.06,
    swing: 5,
    rough: 4,
    depth: 0.35,
  });
  const line = paintRidge(stage, {
    name: 'field',
    y: plan.horizon + 0.08,
    rise: 0.05,
    swing: 1.2,
    rough: 2,
    depth: 0.62,
  });
  paintGrove(stage, {
    name: 'lone',
    line,
    depth: 0.7,
    share: random.between(0.02, 0.25),
    size: random.between(0.1, 0.24),
    shapes: ['round', 'tree'],
  });
  paintRidge(stage, {
    name: 'grass',
    y: plan.horizon + 0.24,
    rise: 0.05,
    swing: 1.4,
    rough: 2,
    depth: 0.9,
  });
  paintBlades(stage, { step: 0.012, y: plan.horizon + 0.3, tall: 0.09 });
}

export function paintBlades(stage: Stage, grass: { step: number; y: number; tall: number }): void {
  const { painter, light } = stage;
  const greens = [tone(light, 1), lighten(tone(light, 1), 0.12), lighten(tone(light, 1), -0.2)];
  eachSlot(stage, { name: 'blade', step: grass.step, reach: 0.1 }, (x, random) => {
    const tall = grass.tall * random.between(0.5, 1.2);
    const lean = random.between(-0.02, 0.03) + smoothNoise(5, x * 3) * 0.02;
    const y = grass.y + random.between(0, 0.06);
    painter.polygon([x - 0.004, y + 0.08, x + lean, y - tall, x + 0.005, y + 0.08], random.pick(greens));
  });
  painter.below(() => grass.y + 0.07, [greens[2] ?? 0], 1);
}

/** Blossoms in rows that grow towards the viewer. */
export function paintGarden(stage: Stage): void {
  const { painter, light, plan } = stage;
  const random = plan.random.branch('garden');
  paintRidge(stage, {
    name: 'bushes',
    y: plan.horizon + 0.03,
    rise: 0.08,
    swing: 7,
    rough: 3,
    depth: 0.4,
  });
  paintRidge(stage, {
    name: 'lawn',
    y: plan.horizon + 0.07,
    rise: 0.02,
    swing: 2,
    rough: 2,
    depth: 0.75,
  });
  const petals = [
    light.leaf,
    blend(light.leaf, 0xe8436a, 0.6),
    blend(light.body, 0xf2a93b, 0.5),
    blend(light.sky[1] ?? 0, 0xb06ae0, 0.6),
  ];
  const shape = random.pick(['tulip', 'poppy', 'tulip', 'disc']);
  for (let row = 0; row < 5; row++) {
    const near = (row + 1) / 5;
    const size = 0.03 + near * near * 0.1;
    eachSlot(stage, { name: `bed${row}`, step: size * 0.8, reach: 0.1 }, (slot, own) => {
      const x = slot + own.between(-0.2, 0.2) * size;
      const y = plan.horizon + 0.06 + near * near * 0.36 + own.between(-0.1, 0.1) * size;
      const colour = blend(light.haze, own.pick(petals), 0.4 + 0.6 * near);
      painter.box(x - size * 0.03, y - size * 0.5, [size * 0.06, size * 0.9], tone(light, near));
      if (shape === 'disc') painter.disc(x, y - size * 0.5, size * 0.3, colour);
      else painter.silhouette(shape, { x, y, size, colour });
    });
  }
}
