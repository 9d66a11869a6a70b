import { expect } from 'vitest';
import { crossfadeJoin, isNextBar, neighbouringPairs, renderSong } from '../../../src/media/song/render-song.ts';
import { type SynthesizedSong, synthesizeSong } from '../../../src/media/song/sound-song.ts';
import { decode, encodeStraight, rendered } from './audio-tools.ts';
import { songRequest } from './song-requests.ts';

const AROUND_JOIN = 2_400;

/** The song as its form says, of samples that no encoder has touched. */
function unencoded({ form, barSamples, phrases }: SynthesizedSong): Int16Array {
  const samples = new Int16Array(form.bars.length * barSamples * 2);
  form.bars.forEach(({ phrase, bar }, i) => {
    const from = bar * barSamples * 2;
    samples.set(phrases[phrase]?.subarray(from, from + barSamples * 2) ?? [], i * barSamples * 2);
  });
  neighbouringPairs(form.bars).forEach(([from, to], i) => {
    if (!isNextBar(from, to)) crossfadeJoin(samples, (i + 1) * barSamples, { from, to }, form.phrases);
  });
  return samples;
}

/** Root mean square of the difference within `around` samples of a place. */
function errorAt(heard: Int16Array, played: Int16Array, at: number): number {
  let sum = 0;
  for (let i = at - AROUND_JOIN; i < at + AROUND_JOIN; i++) {
    const difference = (heard[i] ?? 0) - (played[i] ?? 0);
    sum += difference * difference;
  }
  return Math.sqrt(sum / (2 * AROUND_JOIN));
}

/** Expects a song to be joined bar by bar no worse than an encoder joins it that sees all of it. */
export async function expectGoodJoins(_name: string, style: string): Promise<void> {
  const request = songRequest({ style });
  const song = await synthesizeSong(request, async () => undefined);
  const played = unencoded(song);
  const { bytes } = await rendered((target, tools) => renderSong(request, target, tools));
  const [heard, straight] = [decode(bytes), decode(encodeStraight(played))];
  expect(heard.length).toBe(played.length);
  const joins = neighbouringPairs(song.form.bars).flatMap(([from, to], i) =>
    isNextBar(from, to) ? [] : [(i + 1) * song.barSamples * 2],
  );
  const worse = joins.filter((at) => errorAt(heard, played, at) > 1.3 * errorAt(straight, played, at) + 40);
  expect(joins.length).toBeGreaterThan(3);
  expect(worse).toEqual([]);
}
