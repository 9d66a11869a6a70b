import { framesFor, SONG_FORMAT } from '../mp3/stream-format.ts';
import type { FormBar } from './form-plan.ts';
import { softenJoin } from './soften-join.ts';
import type { SoundedSong } from './sound-song.ts';
import {
  followsIn,
  JOIN_AFTER,
  JOIN_BEFORE,
  JOIN_TAKEN,
  joinName,
  pairs,
  planSplices,
  type SplicePlan,
} from './splice-plan.ts';

const { frameBytes, frameSamples, channels } = SONG_FORMAT;
const FRAME_VALUES = frameSamples * channels;

/** The samples to encode once, so that the whole song can be put together from their frames. */
export function spliceSource(song: SoundedSong): { plan: SplicePlan; samples: Int16Array } {
  const barFrames = song.barSamples / frameSamples;
  const plan = planSplices(song.form, barFrames);
  const samples = new Int16Array(plan.frames * FRAME_VALUES);
  song.phrases.forEach((phrase, i) => {
    samples.set(phrase, (plan.phraseStarts[i] ?? 0) * FRAME_VALUES);
  });
  const barStart = ({ phrase, bar }: FormBar) => (plan.phraseStarts[phrase] ?? 0) + bar * barFrames;
  for (const { from, to, start } of plan.joins) {
    const before = barStart(from) + barFrames - JOIN_BEFORE;
    copyFrames(samples, { from: before, count: JOIN_BEFORE, to: start });
    copyFrames(samples, { from: barStart(to), count: JOIN_AFTER, to: start + JOIN_BEFORE });
    softenJoin(samples, (start + JOIN_BEFORE) * frameSamples, { from, to }, song.form.phrases);
  }
  return { plan, samples };
}

function copyFrames(samples: Int16Array, { from, count, to }: Record<'from' | 'count' | 'to', number>) {
  samples.copyWithin(to * FRAME_VALUES, from * FRAME_VALUES, (from + count) * FRAME_VALUES);
}

/**
 * Puts the song together from encoded frames. A decoder's output lags by less than a frame, so a frame
 * depends on nothing but its own and the last 24 ms before it, and on the windows of its neighbours: at a join,
 * the last frame before and the first two after it come from the snippet in which the bars follow each other.
 */
export function spliceFrames(song: SoundedSong, plan: SplicePlan, encoded: Buffer): Buffer {
  const barFrames = song.barSamples / frameSamples;
  const { bars } = song.form;
  const total = framesFor(bars.length * song.barSamples, SONG_FORMAT);
  const output = Buffer.alloc(total * frameBytes);
  const copy = (from: number, count: number, to: number) =>
    encoded.copy(output, to * frameBytes, from * frameBytes, (from + count) * frameBytes);
  bars.forEach(({ phrase, bar }, i) => {
    copy((plan.phraseStarts[phrase] ?? 0) + bar * barFrames, barFrames, i * barFrames);
  });
  copy(plan.silenceStart, total - bars.length * barFrames, bars.length * barFrames);
  const joins = new Map(plan.joins.map((join) => [joinName(join.from, join.to), join.start]));
  pairs(bars).forEach(([from, to], i) => {
    const start = joins.get(joinName(from, to));
    if (followsIn(from, to) || start === undefined) return;
    copy(start + JOIN_BEFORE - 1, JOIN_TAKEN, (i + 1) * barFrames - 1);
  });
  return output;
}
