import { parseBuffer } from 'music-metadata';
import { expect, it } from 'vitest';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import type { SongRequest } from '../../../src/media/render-request.ts';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { rendered } from './audio-tools.ts';
import { framesOf, windowsOf } from './frame-sides.ts';
import { EVEN, expectEvenSong } from './song-level.ts';
import { LYRICS, madeSong, songRequest } from './song-requests.ts';

const TITLED = { title: 'Fluß & 河 🎵' };
const pop = await madeSong(TITLED);

const SONGS: [string, Partial<SongRequest>][] = [
  ['a sung pop song', TITLED],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }],
  ['dreamy ambient', { style: 'ambient, dreamy', lyrics: null }],
];

it.each(SONGS)(
  'writes %s as whole frames with the right length, even level and no clipping [R048 R049 R051 I066]',
  (_name, changes) => expectEvenSong(changes, EVEN),
);

it('joins encoded bars of a song with matching MP3 windows', () => {
  const frames = framesOf(pop.bytes).slice(1);
  for (const channel of [0, 1] as const) {
    const windows = frames.flatMap((frame) => windowsOf(frame, channel));
    const broken = windows.slice(1).filter((window, i) => {
      const opened = windows[i] === 1 || windows[i] === 2;
      return opened !== (window === 2 || window === 3);
    });
    expect(broken).toEqual([]);
  }
});

it('stores title, genre, style, seed and lyrics in a song [I068]', async () => {
  const { common, native } = await parseBuffer(pop.bytes, 'audio/mpeg');
  expect(common.title).toBe(TITLED.title);
  expect(common.genre?.[0]).toBe('Pop');
  expect(common).toMatchObject({ bpm: expect.any(Number), key: expect.stringMatching(/^[A-G]#?m?$/) });
  const named = native['ID3v2.4']?.map(({ id, value }) => [id, value]);
  expect(named).toContainEqual(['TXXX:seed', '7']);
  expect(named).toContainEqual(['TXXX:style', songRequest().style]);
  expect(probeAudio(pop.bytes).text).toBe(LYRICS);
});

it('declares stereo in the Info tag of a song', () => {
  const { bytes } = pop;
  const at = bytes.indexOf('LAME3.100');
  // The byte has two bits of noise shaping, then three bits of the mode; mode 1 is stereo.
  expect(((bytes[at + 24] ?? 0) >> 2) & 7).toBe(1);
});

it('rejects the render of a song that is already cancelled', async () => {
  const reason = new Error('cancelled');
  const engine = rendered((target, tools) => renderSong(songRequest(), target, tools), AbortSignal.abort(reason));
  await expect(engine).rejects.toBe(reason);
});
