import { weightedMeanSquares } from './loudness.ts';
import { type Band, type Channel, type Faders, playChannel } from './mix-phrase.ts';
import type { Score } from './score.ts';
import { silence } from './stereo.ts';

/** Weighted mean square that each channel is brought to; the tune stands out, the pad stays behind. */
const TARGETS: Record<Channel, number> = {
  voice: 0.028,
  lead: 0.02,
  drums: 0.015,
  bass: 0.013,
  comp: 0.01,
  pad: 0.004,
};
/** What plays little in these bars is not made loud for it. */
const MOST_GAIN: Record<Channel, number> = {
  voice: 0.8,
  lead: 0.8,
  drums: 0.6,
  bass: 0.4,
  comp: 0.55,
  pad: 0.3,
};
const CHECKED_BARS = 2;

/**
 * Lets every channel play the beginning of a phrase alone, the first of `scores` that has something for it,
 * and sets its fader by what is heard.
 */
export function checkSound(band: Band, scores: Score[], barSamples: number): Faders {
  const { left, right } = silence(barSamples * CHECKED_BARS);
  const faders = (Object.keys(TARGETS) as Channel[]).map((channel) => {
    const score = scores.find((one) => hasPart(one, channel));
    if (!score) return [channel, 0] as const;
    const samples = Math.min(score.samples, left.length);
    // The same for all: a song needs no more memory for six channels than for one.
    const bus = { left: left.subarray(0, samples).fill(0), right: right.subarray(0, samples).fill(0) };
    playChannel(band, beginningOf(score, samples), bus, [channel, 1]);
    const [heard = 0] = weightedMeanSquares(bus, samples);
    const gain = heard > 0 ? Math.sqrt(TARGETS[channel] / heard) : MOST_GAIN[channel];
    return [channel, Math.min(gain, MOST_GAIN[channel])] as const;
  });
  return Object.fromEntries(faders) as Faders;
}

function hasPart({ notes, hits, sung }: Score, channel: Channel): boolean {
  if (channel === 'voice') return sung.length > 0;
  return channel === 'drums' ? hits.length > 0 : notes.some(({ role }) => role === channel);
}

function beginningOf(score: Score, samples: number): Score {
  const within = ({ at }: { at: number }) => at < samples;
  return {
    samples,
    notes: score.notes.filter(within),
    hits: score.hits.filter(within),
    sung: score.sung.filter(within),
  };
}
