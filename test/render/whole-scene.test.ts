import { expect, it } from 'vitest';
import { Canvas } from '../../src/render/paint/canvas.ts';
import { Palette } from '../../src/render/paint/palette.ts';
import { Silhouettes } from '../../src/render/scene/figure-set.ts';
import { paintScene } from '../../src/render/scene/paint-scene.ts';
import { Painter } from '../../src/render/scene/painter.ts';
import { planScene } from '../../src/render/scene/scene-plan.ts';
import { readSceneKit } from '../../src/render/scene/stage.ts';

const SIDE = 1024;
/** Scenes leave the last places of the palette to lettering and frames. */
const UNPAINTED = 255;

/** Shapes that scenes ask for and the data file does not have. */
const absent = new Set<string>();
class WatchedSilhouettes extends Silhouettes {
  override shape(name: string): number[][] {
    const shape = super.shape(name);
    if (shape.length === 0) absent.add(name);
    return shape;
  }
}

const kit = { ...readSceneKit(), silhouettes: new WatchedSilhouettes() };
const canvas = new Canvas(SIDE, SIDE, new Palette());
const places = [
  ...['canyon', 'city', 'reef', 'desert', 'forest', 'garden', 'hills', 'island', 'lake', 'meadow'],
  ...['mountains', 'road', 'room', 'sea', 'space', 'village', 'volcano', 'arctic', 'beach'],
];

it.each(places)('paints every pixel of a scene of %s with shapes that there are, whatever the seed', (place) => {
  for (let seed = 0; seed < 30; seed++) {
    canvas.pixels.fill(UNPAINTED);
    canvas.palette.clear();
    const prompt = seed % 3 === 0 ? `${place} in autumn` : place;
    const plan = planScene(kit, { prompt, seed, strength: 1 });
    const painter = new Painter(canvas, { scale: SIDE, x: SIDE / 2, y: 0 }, kit.silhouettes);
    paintScene({ painter, plan, light: plan.light, spread: 0.5, floor: 0.84 });
    expect({ seed, bare: canvas.pixels.indexOf(UNPAINTED) }).toEqual({ seed, bare: -1 });
  }
  expect([...absent]).toEqual([]);
});
