import { lighten } from '../paint/rgb.ts';
import { layeredNoise } from '../paint/seeded-random.ts';
import { deepening, eachSlot, fading, type Stage, tone } from './stage.ts';

interface Grove {
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
  eachSlot(stage, { name: grove.name, step: grove.size * 0.5, reach: grove.size }, (slot, random) => {
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
  });
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

/** A wavy rim across the whole picture. */
export function paintRidge(
  stage: Stage,
  ridge: { name: string; y: number; rise: number; swing: number; rough: number; depth: number },
): (x: number) => number {
  const { painter, light, plan } = stage;
  const seed = plan.random.branch(ridge.name).below(1 << 30);
  const line = (x: number) => ridge.y - ridge.rise * (0.5 + layeredNoise(seed, x * ridge.swing, ridge.rough));
  const colour = tone(light, ridge.depth);
  const shades = ridge.depth > 0.8 ? deepening(colour) : fading(light, colour, 5, 0.5 * (1 - ridge.depth));
  painter.below(line, shades, ridge.rise + 0.25);
  return line;
}
