import { it } from 'vitest';
import { readMusicData } from '../../../src/media/song/form-plan.ts';
import { expectEvenSong, LESS_EVEN } from './song-level.ts';

const GENRES = Object.keys(readMusicData().genres);

it.each([30, 60, 90, 120, 150, 180, 210, 240])('renders %i s of soul at an even volume [R049 R051]', (seconds) =>
  expectEvenSong({ style: 'soul', seconds }, LESS_EVEN),
);

it.each(GENRES)('renders sung and instrumental %s at an even volume [R049 R051]', async (style) => {
  await expectEvenSong({ style }, LESS_EVEN);
  await expectEvenSong({ style, lyrics: null, seconds: 60 }, LESS_EVEN);
});
