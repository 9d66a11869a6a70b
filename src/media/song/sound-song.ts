import { SONG_FORMAT } from '../mp3/stream-format.ts';
import type { SongRequest } from '../render-request.ts';
import { composePhrase } from './compose-phrase.ts';
import { planForm, type SongForm } from './form-plan.ts';
import { gainToTarget, limit, weightedMeanSquares } from './loudness.ts';
import type { SectionKind } from './lyric-sections.ts';
import { assembleBand, type Band, type Channel, type Faders, mixPhrase, playChannel } from './mix-phrase.ts';
import { readMusicData } from './music-data.ts';
import { framePhrase } from './phrase-frame.ts';
import { type Score, type Stereo, silence } from './score.ts';
import { describeSong, type SongFacts } from './song-facts.ts';
import { identifySong } from './song-identity.ts';
import { prepareTake } from './take.ts';

/** All the different bars of a song, and the order in which they are played. */
export interface SoundedSong {
  form: SongForm;
  facts: SongFacts;
  barSamples: number;
  /** Interleaved samples of each phrase. */
  phrases: Int16Array[];
}

/** Composes and plays a song. `onPhrase` is told the share done before each phrase and may reject to stop. */
export async function soundSong(
  request: SongRequest,
  onPhrase: (share: number) => Promise<void>,
): Promise<SoundedSong> {
  const data = readMusicData();
  const song = identifySong(request, data);
  const barSamples = song.barFrames * SONG_FORMAT.frameSamples;
  const barSeconds = barSamples / SONG_FORMAT.sampleRate;
  const most = Math.floor(soundedSeconds(request.seconds) / barSeconds);
  const form = planForm(request.lyrics, Math.round(request.seconds / barSeconds), most);
  const take = prepareTake(song, request.seed, data);
  const band = assembleBand(song, take, data);
  const scores = form.phrases.map((phrase) => composePhrase(framePhrase(song, take, phrase), data.harmony));
  const faders = checkSound(band, fullestFirst(form, scores), barSamples);
  const played: Stereo[] = [];
  for (const [i, { kind }] of form.phrases.entries()) {
    await onPhrase(i / form.phrases.length);
    played.push(mixPhrase(band, scores[i] as Score, faders, kind));
  }
  const gain = gainOf(form, played, barSamples);
  return {
    form,
    facts: describeSong({ song, form, scores }),
    barSamples,
    phrases: played.map((sound) => interleave(sound, gain)),
  };
}

/** The scores in the order in which they show what everyone can do: a chorus has the most. */
function fullestFirst({ phrases }: SongForm, scores: Score[]): Score[] {
  const order: SectionKind[] = ['chorus', 'pre-chorus', 'verse', 'bridge', 'intro', 'outro', 'last', 'first'];
  const rank = (score: Score) => order.indexOf(phrases[scores.indexOf(score)]?.kind ?? 'last');
  return [...scores].sort((one, other) => rank(one) - rank(other));
}

/** Different sound that a song of `seconds` may have: what is played again costs nothing, what is new must be encoded. */
function soundedSeconds(seconds: number): number {
  return seconds < 60 ? 19 : 25.5;
}

function gainOf(form: SongForm, played: Stereo[], barSamples: number): number {
  const squares = played.map((sound) => weightedMeanSquares(sound, barSamples));
  const heard = form.bars.map(({ phrase, bar }) => ({
    meanSquare: squares[phrase]?.[bar] ?? 0,
    samples: barSamples,
  }));
  return gainToTarget(heard);
}

function interleave({ left, right }: Stereo, gain: number): Int16Array {
  const samples = new Int16Array(left.length * 2);
  for (let i = 0; i < left.length; i++) {
    samples[2 * i] = limit((left[i] as number) * gain) * 32_767;
    samples[2 * i + 1] = limit((right[i] as number) * gain) * 32_767;
  }
  return samples;
}

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
