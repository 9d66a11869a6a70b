import { expect, it } from 'vitest';
import { ASPECT_RATIOS, frameSize } from '../../../src/engine/catalogue/catalogue.ts';
import { RESOLUTIONS } from '../../../src/engine/catalogue/catalogue-file.ts';

it.each([
  ['480p', '16:9', 854, 480],
  ['480p', '9:16', 480, 854],
  ['480p', '1:1', 480, 480],
  ['480p', '21:9', 1120, 480],
  ['768p', '16:9', 1366, 768],
  ['1080p', '3:4', 1080, 1440],
  ['2k', '16:9', 2560, 1440],
] as const)('renders %s at %s in %i × %i pixels [I111]', (resolution, aspect, width, height) => {
  expect(frameSize(resolution, aspect)).toEqual({ width, height });
});

it('uses even frame sizes for every resolution and aspect, as H.264 requires [I111]', () => {
  const sizes = RESOLUTIONS.flatMap((resolution) => ASPECT_RATIOS.map((aspect) => frameSize(resolution, aspect)));
  expect(sizes).toHaveLength(30);
  for (const { width, height } of sizes) expect([width % 2, height % 2]).toEqual([0, 0]);
});
