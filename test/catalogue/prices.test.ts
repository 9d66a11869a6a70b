import { expect, it } from 'vitest';
import { chatTerms, price, readCatalogue, speechTerms, takeTerms, uploadTerms } from '../../src/catalogue/catalogue.ts';
import { clipTerms } from '../../src/catalogue/clips.ts';
import { ENGINES } from '../api/videos/engine-table.ts';

const catalogue = readCatalogue();
const MIB = 1_048_576;

it.each([
  ['svc-rp-plus', 0, 3, 'R122'],
  ['svc-rp-plus', 2, 7, 'R124 I032'],
  ['svc-rp-mini', 0, 1, 'R123'],
  ['svc-rp-mini', 1, 3, 'R124 I032'],
])('a completion of %s with %i images costs %i [%s]', (model, images, credits, _rule) => {
  expect(price(chatTerms(catalogue.model(model, 'chat'), images))).toBe(credits);
});

it.each([
  [0, 3],
  [1, 3],
  [100, 3],
  [101, 6],
  [4096, 123],
])('speaking %i characters costs %i [R127 I105]', (characters, credits) => {
  expect(price(speechTerms(catalogue.model('svc-voice-one', 'speech'), characters))).toBe(credits);
});

it.each([
  [30, 3],
  [60, 6],
  [120, 12],
  [240, 24],
])('a take of %i seconds costs %i [R132]', (seconds, credits) => {
  expect(price(takeTerms(catalogue.model('svc-music-one', 'music'), seconds))).toBe(credits);
});

it.each([
  [0, 2],
  [10 * MIB, 2],
  [10 * MIB + 1, 4],
  [100 * MIB, 20],
])('keeping %i bytes costs %i [R129 I029 I105]', (bytes, credits) => {
  expect(price(uploadTerms(catalogue.file.storage.creditsPerStarted10MiB, bytes))).toBe(credits);
});

it.each([
  ['A', 30, 0, 1860, 'R104 R105'],
  ['M', 5, 0, 45, 'R104 R105'],
  ['F', 5, 3, 190, 'R106 I055'],
  ['K', 5, 2, 110, 'I118'],
  ['L', 1, 1, 42, 'R107 I055'],
  ['L', 15, 0, 555, 'R104'],
] as const)('engine %s makes %i seconds with %i pictures for %i [%s]', (label, seconds, pictures, credits, _rule) => {
  const engine = catalogue.engine(ENGINES[label].model);
  const [resolution = '720p'] = engine.resolutions;
  expect(price(clipTerms(engine, { seconds, resolution, audio: true, pictures }))).toBe(credits);
});

it.each([
  ['480p', true, 40],
  ['480p', false, 40],
  ['1080p', true, 120],
  ['1080p', false, 80],
  ['720p', false, 60],
] as const)('a finer rate holds for its resolution and soundtrack: %s, sound %j: %i', (resolution, audio, credits) => {
  const engine = {
    ...catalogue.engine(ENGINES.N.model),
    rates: [
      { creditsPerSecond: 10, resolution: '480p' as const },
      { creditsPerSecond: 30, resolution: '1080p' as const, audio: true },
      { creditsPerSecond: 20, resolution: '1080p' as const },
      { creditsPerClip: 60 },
    ],
  };
  expect(price(clipTerms(engine, { seconds: 4, resolution, audio, pictures: 0 }))).toBe(credits);
});
