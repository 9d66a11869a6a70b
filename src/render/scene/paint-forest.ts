import { blend } from '../paint/palette.ts';
import { lighten } from '../paint/rgb.ts';
import { paintGrove, paintRidge } from './paint-grove.ts';
import { eachSlot, type Stage, tone } from './stage.ts';

/** Trunks in the mist, row before row, under a roof of leaves. */
export function paintForest(stage: Stage): void {
  const { painter, light, plan } = stage;
  const random = plan.random.branch('forest');
  const conifer = random.chance(0.5);
  const rows = 3;
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
    painter.disc(x, slot.between(-0.1, 0.04), slot.between(0.05, 0.11), slot.chance(0.5) ? roof : lighten(roof, -0.2));
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
