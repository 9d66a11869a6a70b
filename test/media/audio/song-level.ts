import { expect } from 'vitest';
import { probeAudio } from '../../../src/media/audio-probe.ts';
import { parseFrameHeader } from '../../../src/media/mp3/stream-format.ts';
import type { SongRequest } from '../../../src/media/render-request.ts';
import { decode, loudness } from './audio-tools.ts';
import { borrowedBytes, framesOf } from './frame-sides.ts';
import { madeSong } from './song-requests.ts';

/** The largest distance from -14 LUFS, and the highest peak in dB. Some styles are less even than others. */
type Level = readonly [lufs: number, peak: number];
export const EVEN: Level = [0.7, -0.5];
export const LESS_EVEN: Level = [1, 0];

/** Renders a song and checks that it is made of whole frames, has its length and an even level, and does not clip. */
export async function expectEvenSong(changes: Partial<SongRequest>, [uneven, highest]: Level): Promise<void> {
  const { bytes, file } = await madeSong(changes);
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
}
