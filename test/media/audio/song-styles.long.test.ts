import { expect, it } from 'vitest';
import { parseFrameHeader } from '../../../src/media/mp3/frame-header.ts';
import { readMusicData } from '../../../src/media/song/music-data.ts';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { decode, loudness, rendered } from './audio-tools.ts';
import { borrowedBytes, framesOf } from './frame-sides.ts';
import { LYRICS, songRequest } from './song-requests.ts';

const genres = Object.keys(readMusicData().genres);
const lengths = [30, 60, 90, 120, 150, 180, 210, 240];
const rows = [
  ...genres.flatMap((style) => [
    { style, seconds: 30, lyrics: LYRICS },
    { style, seconds: 60, lyrics: null },
  ]),
  ...lengths.map((seconds) => ({ style: 'soul', seconds, lyrics: LYRICS })),
];

it.each(rows)('plays $style for $seconds s as a whole file at an even level [R048 R049 R051 I066]', async (changes) => {
  const request = songRequest(changes);
  const { bytes, file } = await rendered((target, tools) => renderSong(request, target, tools));
  const frames = framesOf(bytes);
  const kind = { sampleRate: 48_000, channels: 2, bitrate: 320_000, bytes: 960 };
  for (const frame of frames) expect(parseFrameHeader(frame, 0)).toMatchObject(kind);
  expect(frames.filter((frame) => borrowedBytes(frame) > 0)).toEqual([]);
  expect(file.seconds).toBe(decode(bytes).length / 2 / 48_000);
  expect(Math.abs((file.seconds ?? 0) - request.seconds)).toBeLessThan(2);
  const { lufs, peak } = loudness(bytes);
  expect(Math.abs(lufs + 14)).toBeLessThan(1);
  expect(peak).toBeLessThan(0);
});
