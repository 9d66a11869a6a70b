import { parseBuffer } from 'music-metadata';
import { expect, it } from 'vitest';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import { parseFrameHeader } from '../../../src/media/mp3/frame-header.ts';
import type { SongRequest } from '../../../src/media/render-request.ts';
import { readMusicData } from '../../../src/media/song/music-data.ts';
import { renderSong } from '../../../src/media/song/render-song.ts';
import { sampleOf } from '../../support/sample.ts';
import { decode, loudness, rendered } from './audio-tools.ts';
import { borrowedBytes, framesOf, windowsOf } from './frame-sides.ts';
import { LYRICS, songRequest } from './song-requests.ts';

const render = (changes: Partial<SongRequest> = {}) =>
  rendered((target, tools) => renderSong(songRequest(changes), target, tools));

/** The song that most tests look at. */
const pop = await render();

/** How far each is from -14 LUFS at most, and how high its peak: some styles are a little more uneven. */
type Level = readonly [lufs: number, peak: number];
const [EVEN, LESS_EVEN]: Level[] = [
  [0.7, -0.5],
  [1, 0],
];
const SONGS: [name: string, changes: Partial<SongRequest>, level?: Level | undefined][] = [
  ['a sung pop song', {}, EVEN],
  ['an instrumental waltz', { style: 'waltz, accordion', lyrics: null, seconds: 60 }, EVEN],
  ['heavy metal', { style: 'heavy metal, angry, male vocals', seed: 4294967295 }, EVEN],
  ['dreamy ambient', { style: 'ambient, dreamy', lyrics: null }, EVEN],
  ...[30, 60, 90, 120, 150, 180, 210, 240].map((seconds): [string, object] => [
    `soul of ${seconds} s`,
    { style: 'soul', seconds },
  ]),
  ...Object.keys(readMusicData().genres).flatMap((style): [string, object][] => [
    [`sung ${style}`, { style }],
    [`an instrumental of ${style}`, { style, lyrics: null, seconds: 60 }],
  ]),
];

it.each(sampleOf(SONGS, 2))(
  'writes %s as whole frames, of the length it tells, at an even level without clipping [R048 R049 R051 I066]',
  async (_name, changes, [uneven, highest] = LESS_EVEN as Level) => {
    const { bytes, file } = await render(changes);
    const frames = framesOf(bytes);
    const kinds = new Set(frames.map((frame) => JSON.stringify(parseFrameHeader(frame, 0))));
    const kind = { sampleRate: 48_000, channels: 2, bitrate: 320_000, bytes: 960 };
    expect(JSON.parse([...kinds].join())).toMatchObject(kind);
    expect(frames.filter((frame) => borrowedBytes(frame) > 0)).toEqual([]);
    const seconds = decode(bytes).length / 2 / 48_000;
    expect(file).toEqual({ bytes: bytes.length, contentType: 'audio/mpeg', seconds });
    expect(probeAudio(bytes).seconds).toBe(seconds);
    expect(Math.abs(seconds - (changes.seconds ?? 30))).toBeLessThan(2);
    const { lufs, peak } = loudness(bytes);
    expect(Math.abs(lufs + 14)).toBeLessThan(uneven);
    expect(peak).toBeLessThan(highest);
  },
);

it('joins bars by windows that may follow each other', () => {
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

it('carries title, style, seed and lyrics, which transcription gives back [I068]', async () => {
  const { bytes } = await render({ title: 'Fluß & 河 🎵' });
  const { common, native } = await parseBuffer(bytes, 'audio/mpeg');
  expect(common.title).toBe('Fluß & 河 🎵');
  expect(common.genre?.[0]).toBe('Pop');
  expect(common).toMatchObject({ bpm: expect.any(Number), key: expect.stringMatching(/^[A-G]#?m?$/) });
  const named = native['ID3v2.4']?.map(({ id, value }) => [id, value]);
  expect(named).toContainEqual(['TXXX:seed', '7']);
  expect(named).toContainEqual(['TXXX:style', songRequest().style]);
  expect(probeAudio(bytes).text).toBe(LYRICS);
});

it('says in its Info tag that it is stereo', () => {
  const { bytes } = pop;
  const at = bytes.indexOf('LAME3.100');
  // Two bits of noise shaping, then three of the mode, of which 1 is stereo.
  expect(((bytes[at + 24] ?? 0) >> 2) & 7).toBe(1);
});

it('reports progress that only grows, to the end', () => {
  const { progress } = pop;
  expect(progress).toEqual([...progress].sort((one, other) => one - other));
  expect(progress.at(-1)).toBe(1);
});

it('stops when it is cancelled, for the reason given', async () => {
  const reason = new Error('cancelled');
  const engine = rendered((target, tools) => renderSong(songRequest(), target, tools), AbortSignal.abort(reason));
  await expect(engine).rejects.toBe(reason);
});
