// Own code: a song has the length, tempo and words that are asked for, and is there before another program could mix it.
import { SONG_FORMAT } from '../mp3/stream-format.ts';
import type { SongRequest } from '../render-request.ts';
import { composePhrase } from './compose-phrase.ts';
import { planForm, type SongForm } from './form-plan.ts';
import { assembleBand, mixPhrase } from './mix-phrase.ts';
import { readMusicData } from './music-data.ts';
import { framePhrase } from './phrase-frame.ts';
import type { Score, Stereo } from './score.ts';
import { describeSong, identifySong, prepareTake, type SongFacts } from './song-identity.ts';

/** All the different bars of a song, and the order in which they are played. */
export interface SoundedSong {
  form: SongForm;
  facts: SongFacts;
  barSamples: number;
  /** Interleaved samples of each phrase. */
  phrases: Int16Array[];
}

/** Composes and plays a song. `onPhrase` gets the share done before each phrase and may reject to stop. */
export async function soundSong(
  request: SongRequest,
  onPhrase: (share: number) => Promise<void>,
): Promise<SoundedSong> {
  const data = readMusicData();
  const song = identifySong(request, data);
  const barSamples = song.barFrames * SONG_FORMAT.frameSamples;
  const barSeconds = barSamples / SONG_FORMAT.sampleRate;
  const most = Math.floor(SOUNDED / barSeconds);
  const form = planForm(request.lyrics, Math.round(request.seconds / barSeconds), most);
  const take = prepareTake(song, request.seed);
  const band = assembleBand(song, take, data);
  const scores = form.phrases.map((phrase) => composePhrase(framePhrase(song, take, phrase), data.harmony));
  const played: Stereo[] = [];
  for (const [i, { kind }] of form.phrases.entries()) {
    await onPhrase(i / form.phrases.length);
    played.push(mixPhrase(band, scores[i] as Score, kind));
  }
  const gain = gainOf(form, played, barSamples);
  return {
    form,
    facts: describeSong(song, form.bars.length),
    barSamples,
    phrases: played.map((sound) => interleave(sound, gain)),
  };
}

/** Seconds of different sound that a song may have: what is played again costs nothing, what is new must be encoded. */
const SOUNDED = 14;

/** What brings a song to about -14 LUFS. */
const TARGET = 0.0126;
/** Bars that are much quieter than the whole do not count. */
const GATE = 0.1;
/** The share of the sample before that is taken off, as the ear hears high tones louder than low ones. */
const DULLED = 0.5;

function gainOf(form: SongForm, played: readonly Stereo[], barSamples: number): number {
  const levels = played.map((sound) => levelsOf(sound, barSamples));
  const heard = form.bars.map(({ phrase, bar }) => levels[phrase]?.[bar] ?? 0);
  const mean = (bars: readonly number[]) => bars.reduce((sum, level) => sum + level, 0) / Math.max(1, bars.length);
  const counted = mean(heard.filter((level) => level >= mean(heard) * GATE));
  return counted > 0 ? Math.sqrt(TARGET / counted) : 1;
}

/** The mean square of each bar, both channels added. */
function levelsOf({ left, right }: Stereo, barSamples: number): number[] {
  return Array.from({ length: left.length / barSamples }, (_, bar) => {
    let sum = 0;
    for (let i = bar * barSamples + 1; i < (bar + 1) * barSamples; i++) {
      const one = (left[i] as number) - DULLED * (left[i - 1] as number);
      const other = (right[i] as number) - DULLED * (right[i - 1] as number);
      sum += one * one + other * other;
    }
    return sum / barSamples;
  });
}

function interleave({ left, right }: Stereo, gain: number): Int16Array {
  const samples = new Int16Array(left.length * 2);
  for (let i = 0; i < left.length; i++) {
    samples[2 * i] = limit((left[i] as number) * gain) * 32_767;
    samples[2 * i + 1] = limit((right[i] as number) * gain) * 32_767;
  }
  return samples;
}

const KNEE = 0.5;
const CEILING = 0.84;

/** A sample that never reaches full scale: straight up to the knee, bent beyond it. */
function limit(sample: number): number {
  const size = Math.abs(sample);
  if (size <= KNEE) return sample;
  const over = (size - KNEE) / (CEILING - KNEE);
  const bent = KNEE + ((CEILING - KNEE) * over) / (1 + over);
  return sample < 0 ? -bent : bent;
}
