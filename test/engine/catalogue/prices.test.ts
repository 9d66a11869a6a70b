import { expect, it } from 'vitest';
import { clipPriceLines, priceOf, readShippedCatalogue } from '../../../src/engine/catalogue/catalogue.ts';
import { ENGINES } from '../../service/api/videos/engine-table.ts';

const catalogue = readShippedCatalogue();

it.each([
  ['480p', true, 40],
  ['480p', false, 40],
  ['1080p', true, 120],
  ['1080p', false, 80],
  ['720p', false, 60],
] as const)('applies the rate of the resolution and soundtrack: %s, sound %j: %i', (resolution, audio, credits) => {
  const engine = {
    ...catalogue.engine(ENGINES.N.model),
    rates: [
      { creditsPerSecond: 10, resolution: '480p' as const },
      { creditsPerSecond: 30, resolution: '1080p' as const, audio: true },
      { creditsPerSecond: 20, resolution: '1080p' as const },
      { creditsPerClip: 60 },
    ],
  };
  expect(priceOf(clipPriceLines(engine, { seconds: 4, resolution, audio, pictures: 0 }))).toBe(credits);
});
