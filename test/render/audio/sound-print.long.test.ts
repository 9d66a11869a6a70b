import { expect, it } from 'vitest';
import { nearestOf } from './foreign-sounds.ts';

it('takes none of a thousand sounds of speech, tones, noise and music for a render', async () => {
  expect(await nearestOf(1000)).toBeLessThan(0.88);
});
