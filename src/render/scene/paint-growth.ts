import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { smoothNoise } from '../paint/smooth-noise.ts';
import { paintRidge } from './paint-ridge.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

export interface Grove {
  name: string;
  line: (x: number) => number;
  depth: number;
  /** How many of the places hold a tree. */
  share: number;
  size: number;
  shapes: string[];
}

/** Trees that stand along a rim. */
export function paintGrove(stage: Stage, grove: Grove): void {
  const { painter, light } = stage;
  const leaf = tone(light, grove.depth, light.leaf);
  const dark = lighten(tone(light, grove.depth), -0.35);
  eachSlot(
    stage,
    { name: grove.name, step: grove.size * 0.5, reach: grove.size },
    (slot, random) => {
      if (!random.chance(grove.share)) return;
      const x = slot + random.between(-0.2, 0.2) * grove.size;
      const size = grove.size * random.between(0.6, 1.25);
      const shape = random.pick(grove.shapes);
      const y = grove.line(x) + size * 0.06;
      if (shape === 'round') paintRoundTree(stage, { x, y, size, leaf, trunk: dark });
      else
        painter.silhouette(shape, {
          x,
          y,
          size: size * 1.25,
          colour: random.chance(0.5) ? dark : lighten(dark, 0.04),
        });
    },
  );
}

function paintRoundTree(
  { painter }: Stage,
  tree: { x: number; y: number; size: number; leaf: number; trunk: number },
): void {
  const { x, y, size } = tree;
  painter.box(x - size * 0.04, y - size * 0.5, [size * 0.08, size * 0.5], tree.trunk);
  painter.disc(x, y - size * 0.62, size * 0.34, lighten(tree.leaf, -0.22));
  painter.disc(x + size * 0.06, y - size * 0.7, size * 0.25, tree.leaf);
}

/** Trunks in the mist, row before row, under a roof of leaves. */
export function paintForest(stage: Stage): void {
  const { painter, light, plan } = stage;
  const random = plan.random.branch('forest');
  const conifer = random.chance(0.5);
  const rows = 4;
  for (let row = 0; row < rows; row++) {
    const depth = (row + 0.6) / rows;
    const foot = plan.horizon + 0.02 + depth * 0.3;
    const line = paintRidge(stage, {
      name: `floor${row}`,
      y: foot,
      rise: 0.05,
      swing: 2,
      rough: 2,
      depth,
    });
    const share = random.between(0.35, 0.75);
    const size = 0.16 + depth * random.between(0.2, 0.5);
    if (conifer)
      paintGrove(stage, {
        name: `pine${row}`,
        line,
        depth,
        share,
        size,
        shapes: ['pine', 'pine-tall', 'tree'],
      });
    else paintTrunks(stage, { line, depth, row, share });
  }
  if (conifer) return;
  const roof = lighten(tone(light, 1, light.leaf), -0.3);
  eachSlot(stage, { name: 'roof', step: 0.05, reach: 0.2 }, (x, slot) => {
    painter.disc(
      x,
      slot.between(-0.1, 0.04),
      slot.between(0.05, 0.11),
      slot.chance(0.5) ? roof : lighten(roof, -0.2),
    );
  });
}

function paintTrunks(
  stage: Stage,
  wood: { line: (x: number) => number; depth: number; row: number; share: number },
): void {
  const { painter, light } = stage;
  const bark = tone(light, wood.depth, blend(light.near, 0x5a4632, 0.5));
  const step = 0.05 + wood.depth * 0.12;
  eachSlot(stage, { name: `trunk${wood.row}`, step, reach: 0.2 }, (slot, random) => {
    if (!random.chance(wood.share + 0.2)) return;
    const x = slot + random.between(-0.3, 0.3) * step;
    const half = (0.005 + wood.depth * 0.022) * random.between(0.6, 1.3);
    const foot = wood.line(x) + 0.01;
    const lean = random.between(-0.03, 0.03);
    painter.polygon(
      [
        x - half * 1.7,
        foot,
        x - half,
        foot - 0.1,
        x - half * 0.7 + lean,
        -0.2,
        x + half * 0.7 + lean,
        -0.2,
        x + half,
        foot - 0.1,
        x + half * 1.7,
        foot,
      ],
      bark,
    );
    const branch = foot - random.between(0.25, 0.5);
    const side = random.chance(0.5) ? 1 : -1;
    painter.polygon(
      [
        x,
        branch,
        x + side * half * 9,
        branch - half * 7,
        x + side * half * 9,
        branch - half * 7.6,
        x,
        branch - half * 1.6,
      ],
      bark,
    );
  });
}

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
    painter.polygon(
      [x - 0.004, y + 0.08, x + lean, y - tall, x + 0.005, y + 0.08],
      random.pick(greens),
    );
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
