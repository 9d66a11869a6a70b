import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { packageDataFolder } from '../../src/base/package/package-folder.ts';
import { svgDocument } from '../../src/media/paint/rgb.ts';
import { paintScene } from '../../src/media/scene/paint-scene.ts';
import { loadSceneAssets, transformSvgToView } from '../../src/media/scene/painter.ts';
import { planScene } from '../../src/media/scene/scene-plan.ts';

const SIZE = { width: 256, height: 256 };
const kit = loadSceneAssets();
const places = [
  ...['canyon', 'city', 'reef', 'desert', 'forest', 'garden', 'hills', 'island', 'lake', 'meadow'],
  ...['mountains', 'road', 'room', 'sea', 'space', 'village', 'volcano', 'arctic', 'beach'],
];

function drawnOf(prompt: string, seed: number): string {
  const plan = planScene(kit, { prompt, seed, strength: 1 });
  return paintScene(kit, plan, { spread: 0.5, reach: 0.5, floor: 0.84 }).painter.drawn;
}

function svgOf(drawn: string): Buffer {
  return svgDocument(SIZE, transformSvgToView(drawn, { scale: 256, x: 128, y: 0 }));
}

it.each(places)('paints every pixel of a scene of %s, for two seeds', async (place) => {
  for (const seed of [0, 1]) {
    const drawn = drawnOf(seed % 3 === 0 ? `${place} in autumn` : place, seed);
    const { channels } = await sharp(svgOf(drawn)).stats();
    expect({ seed, bare: 255 - (channels[3]?.min ?? 255) }).toEqual({ seed, bare: 0 });
    // A shape that is missing from the data file would have an empty path.
    expect(drawn).not.toContain(' d=""');
    expect(drawn).not.toContain('NaN');
  }
});

const subjects = [
  ...['a lighthouse on a cliff', 'snowy peaks', 'tokyo at night', 'a fox in the forest', 'desert dunes'],
  ...['a coral reef', 'an astronaut on mars', 'a misty lake', 'a village in winter', 'a rose garden'],
];
const moments = ['at dawn', 'at noon', 'at dusk', 'in the rain', 'in autumn'];

const PROMPTS = subjects.flatMap((subject, at) => [subject, `${subject} ${moments[at % moments.length]}`]);

it('composes different scenes for at least nine in ten of twenty prompts', async () => {
  const seen: Uint8Array[] = [];
  let distinct = 0;
  for (const prompt of PROMPTS) {
    const outline = await outlineOf(prompt);
    if (seen.every((other) => differing(outline, other) >= 20)) distinct++;
    seen.push(outline);
  }
  expect(distinct).toBeGreaterThanOrEqual(0.9 * seen.length);
});

/** Marks which of 16 x 16 cells are brighter than their right neighbour, so that the palette does not matter. */
async function outlineOf(prompt: string): Promise<Uint8Array> {
  const scene = sharp(svgOf(drawnOf(prompt, 7)));
  const grey = await scene.greyscale().normalise().resize(17, 16, { fit: 'fill' }).raw().toBuffer();
  const marks = Array.from({ length: 256 }, (_, at) => {
    const place = Math.floor(at / 16) * 17 + (at % 16);
    return (grey[place] ?? 0) > (grey[place + 1] ?? 0) ? 1 : 0;
  });
  return Uint8Array.from(marks);
}

function differing(one: Uint8Array, other: Uint8Array): number {
  return one.reduce((count, mark, at) => count + (mark === other[at] ? 0 : 1), 0);
}

it('reads a path for each line of silhouettes.txt', () => {
  const source = readFileSync(join(packageDataFolder(), 'lexicon/silhouettes.txt'), 'latin1');
  const names = source.split('\n').map((line) => line.split(' ')[0] ?? '');
  for (const name of names.filter(Boolean)) expect(kit.silhouettes.path(name)).toMatch(/^M/);
});
