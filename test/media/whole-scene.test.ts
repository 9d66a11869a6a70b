import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { packageDataFolder } from '../../src/base/package/package-folder.ts';
import { svgDocument } from '../../src/media/paint/rgb.ts';
import { paintScene } from '../../src/media/scene/paint-scene.ts';
import { placeInView, readSceneKit } from '../../src/media/scene/painter.ts';
import { planScene } from '../../src/media/scene/scene-plan.ts';

const SIZE = { width: 256, height: 256 };
const kit = readSceneKit();
const places = [
  ...['canyon', 'city', 'reef', 'desert', 'forest', 'garden', 'hills', 'island', 'lake', 'meadow'],
  ...['mountains', 'road', 'room', 'sea', 'space', 'village', 'volcano', 'arctic', 'beach'],
];

function drawnOf(prompt: string, seed: number): string {
  const plan = planScene(kit, { prompt, seed, strength: 1 });
  return paintScene(kit, plan, { spread: 0.5, reach: 0.5, floor: 0.84 }).painter.drawn;
}

it.each(places)('paints every pixel of a scene of %s, for any seed', async (place) => {
  for (const seed of [0, 1]) {
    const drawn = drawnOf(seed % 3 === 0 ? `${place} in autumn` : place, seed);
    const svg = svgDocument(SIZE, placeInView(drawn, { scale: 256, x: 128, y: 0 }));
    const { channels } = await sharp(svg).stats();
    expect({ seed, bare: 255 - (channels[3]?.min ?? 255) }).toEqual({ seed, bare: 0 });
    // A shape that the data file does not have would have no way.
    expect(drawn).not.toContain(' d=""');
    expect(drawn).not.toContain('NaN');
  }
});

it('defines every shape that scenes use', () => {
  const source = readFileSync(join(packageDataFolder(), 'lexicon/silhouettes.txt'), 'latin1');
  const names = source.split('\n').map((line) => line.split(' ')[0] ?? '');
  for (const name of names.filter(Boolean)) expect(kit.silhouettes.path(name)).toMatch(/^M/);
});
