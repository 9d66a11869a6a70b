import { expect, it } from 'vitest';
import { frameSize } from '../../../src/engine/catalogue/catalogue.ts';

it.each([
  ['480p', '16:9', 854, 480],
  ['480p', '9:16', 480, 854],
  ['480p', '1:1', 480, 480],
  ['480p', '21:9', 1120, 480],
  ['768p', '16:9', 1366, 768],
  ['1080p', '3:4', 1080, 1440],
  ['2k', '16:9', 2560, 1440],
] as const)(
  'computes for the resolution %s and the aspect ratio %s a size of %i × %i pixels [I111]',
  (resolution, aspect, width, height) => {
    expect(frameSize(resolution, aspect)).toEqual({ width, height });
  },
);
