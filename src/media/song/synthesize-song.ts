import { SONG_FORMAT } from '../mp3/stream-format.ts';
import { SeededRandom, seededHash } from '../paint/seeded-random.ts';
import type { SongRequest } from '../render-request.ts';
import {
  addSyllableSamples,
  decayPerSample,
  deterministicSine,
  midiNoteHertz,
  semitoneRatio,
  WAVETABLE_SIZE,
  WavetableCache,
} from '../speech/render-speech.ts';
import {
  composePhrase,
  createSilence,
  type DrumHit,
  type Note,
  panGains,
  preparePhrase,
  type Score,
  type StereoSamples,
  type SungNote,
} from './compose-phrase.ts';
import {
  type DrumSound,
  type InstrumentRole,
  type MusicData,
  planForm,
  readMusicData,
  requireTableEntry,
  SECTION_TRAITS,
  type SectionKind,
  type SongForm,
  type Timbre,
} from './form-plan.ts';
import {
  chooseTakeVariation,
  deriveSongMetadata,
  deriveSongParameters,
  type SongMetadata,
  type SongParameters,
  type TakeVariation,
} from './song-parameters.ts';

export interface SynthesizedSong {
  form: SongForm;
  description: SongMetadata;
  barSamples: number;
  phrases: Int16Array[];
}

export async function synthesizeSong(
  request: SongRequest,
  beforePhrase: () => Promise<void>,
): Promise<SynthesizedSong> {
  const data = readMusicData();
  const song = deriveSongParameters(request, data);
  const barSamples = song.barFrames * SONG_FORMAT.frameSamples;
  const barSeconds = barSamples / SONG_FORMAT.sampleRate;
  const most = Math.floor(MAX_DIFFERENT_SECONDS / barSeconds);
  const form = planForm(request.lyrics, Math.round(request.seconds / barSeconds), most);
  const take = chooseTakeVariation(song, request.seed);
  const band = assembleBand(song, take, data);
  const scores = form.phrases.map((phrase) => composePhrase(preparePhrase(song, take, phrase), data.harmony));
  const played: StereoSamples[] = [];
  for (const [i, { kind }] of form.phrases.entries()) {
    await beforePhrase();
    played.push(mixPhrase(band, scores[i] as Score, kind));
  }
  const gain = gainOf(form, played, barSamples);
  return {
    form,
    description: deriveSongMetadata(song, form.bars.length),
    barSamples,
    phrases: played.map((sound) => interleave(sound, gain)),
  };
}

/** The most seconds of different bars in a song, if possible. Each is encoded, and repeated bars are copied. */
const MAX_DIFFERENT_SECONDS = 14;

/** The mean power of a song after the high-pass filter, at which it has about -14 LUFS. */
const TARGET = 0.0126;
const GATE = 0.1;
/** The factor of a simple high-pass filter, because the ear hears high tones louder than low ones. */
const DULLED = 0.5;

function gainOf(form: SongForm, played: readonly StereoSamples[], barSamples: number): number {
  const levels = played.map((sound) => levelsOf(sound, barSamples));
  const heard = form.bars.map(({ phrase, bar }) => levels[phrase]?.[bar] ?? 0);
  const mean = (bars: readonly number[]) => bars.reduce((sum, level) => sum + level, 0) / Math.max(1, bars.length);
  const counted = mean(heard.filter((level) => level >= mean(heard) * GATE));
  return counted > 0 ? Math.sqrt(TARGET / counted) : 1;
}

function levelsOf({ left, right }: StereoSamples, barSamples: number): number[] {
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

function interleave({ left, right }: StereoSamples, gain: number): Int16Array {
  const samples = new Int16Array(left.length * 2);
  for (let i = 0; i < left.length; i++) {
    samples[2 * i] = limit((left[i] as number) * gain) * 32_767;
    samples[2 * i + 1] = limit((right[i] as number) * gain) * 32_767;
  }
  return samples;
}

const KNEE = 0.5;
const CEILING = 0.84;

function limit(sample: number): number {
  const size = Math.abs(sample);
  if (size <= KNEE) return sample;
  const over = (size - KNEE) / (CEILING - KNEE);
  const bent = KNEE + ((CEILING - KNEE) * over) / (1 + over);
  return sample < 0 ? -bent : bent;
}

interface Band {
  side: number;
  sounds: Record<InstrumentRole, Timbre>;
  kit: DrumKit;
  waveforms: WavetableCache;
  singer: string;
}

const LOUD: Record<InstrumentRole | 'drums' | 'voice', number> = {
  voice: 0.5,
  lead: 0.4,
  drums: 0.4,
  bass: 0.28,
  comp: 0.24,
};
const PANS: Record<InstrumentRole, number> = { bass: 0, comp: -0.28, lead: 0.22 };
/** The samples at the end of a phrase that fade, 16 ms, so that any phrase can follow. */
const EDGE_SAMPLES = 768;

function assembleBand(song: SongParameters, { side }: TakeVariation, { drums, sounds }: MusicData): Band {
  return { side, sounds, kit: createDrumKit(drums), waveforms: new WavetableCache(), singer: song.singer ?? 'alto' };
}

function mixPhrase(band: Band, score: Score, kind: SectionKind): StereoSamples {
  const bus = createSilence(score.samples);
  const { side, sounds, kit, waveforms, singer } = band;
  const faded = <T extends { velocity: number }>(played: T, part: keyof typeof LOUD) => ({
    ...played,
    velocity: played.velocity * LOUD[part],
  });
  const sung = score.sung.map((note) => faded(note, 'voice'));
  singLine(bus, sung, { kind: singer, waveforms });
  for (const hit of score.hits) kit.play(bus, faded(hit, 'drums'), side);
  for (const note of score.notes) {
    playNote(bus, faded(note, note.role), { sound: sounds[note.role], pan: PANS[note.role] * side, waveforms });
  }
  scale(bus, SECTION_TRAITS[kind].loud);
  fadeEnd(bus, kind === 'last' ? score.samples * 0.6 : EDGE_SAMPLES);
  return bus;
}

function scale({ left, right }: StereoSamples, gain: number): void {
  for (let i = 0; i < left.length; i++) {
    (left[i] as number) *= gain;
    (right[i] as number) *= gain;
  }
}

function fadeEnd({ left, right }: StereoSamples, fade: number): void {
  const from = Math.max(0, Math.round(left.length - fade));
  for (let i = from; i < left.length; i++) {
    const share = (left.length - i) / (left.length - from);
    const gain = share * share * (3 - 2 * share);
    (left[i] as number) *= gain;
    (right[i] as number) *= gain;
  }
}

interface DrumKit {
  play(bus: StereoSamples, hit: DrumHit, side: number): void;
}

function createDrumKit(sounds: Record<string, DrumSound>): DrumKit {
  const made = new Map<string, Float32Array>();
  return {
    play: (bus, hit, side) => {
      const sound = requireTableEntry(sounds, hit.drum);
      const samples = made.get(hit.drum) ?? makeDrum(hit.drum, sound);
      made.set(hit.drum, samples);
      const [left, right] = panGains((sound.pan ?? 0) * side);
      const end = Math.min(samples.length, bus.left.length - hit.at);
      for (let i = 0; i < end; i++) {
        const sample = (samples[i] as number) * hit.velocity;
        (bus.left[hit.at + i] as number) += left * sample;
        (bus.right[hit.at + i] as number) += right * sample;
      }
    },
  };
}

function makeDrum(name: string, sound: DrumSound): Float32Array {
  const samples = new Float32Array(Math.round(sound.seconds * SAMPLE_RATE));
  if (sound.tone) addTone(samples, sound.tone);
  if (sound.noise) addNoise(samples, sound.noise, name);
  const fade = Math.min(480, samples.length);
  for (let i = 0; i < fade; i++) (samples[samples.length - 1 - i] as number) *= i / fade;
  return samples;
}

function addTone(samples: Float32Array, tone: NonNullable<DrumSound['tone']>): void {
  const decay = decayPerSample(tone.decay, SAMPLE_RATE);
  const sweep = decayPerSample(tone.sweep, SAMPLE_RATE);
  let loud = tone.level;
  let above = tone.from - tone.to;
  let turns = 0;
  for (let i = 0; i < samples.length; i++) {
    (samples[i] as number) += loud * deterministicSine(turns) * Math.min(1, i / 24);
    turns += (tone.to + above) / SAMPLE_RATE;
    loud *= decay;
    above *= sweep;
  }
}

function addNoise(samples: Float32Array, noise: NonNullable<DrumSound['noise']>, name: string): void {
  const dice = new SeededRandom(seededHash(`drum ${name}`));
  const decay = decayPerSample(noise.decay, SAMPLE_RATE);
  const attack = Math.max(1, (noise.attack ?? 0) * SAMPLE_RATE);
  const gap = Math.round(0.011 * SAMPLE_RATE);
  let low = 0;
  let loud = noise.level;
  for (let i = 0; i < samples.length; i++) {
    const white = dice.between(-1, 1);
    low += (white - low) * (1 - noise.bright * 0.9);
    const coloured = noise.bright > 0.5 ? white - low * noise.bright : low * 2;
    if (i % gap === 0 && i > 0 && i < gap * (noise.bursts ?? 1)) loud = noise.level;
    (samples[i] as number) += loud * coloured * Math.min(1, i / attack);
    if (i >= attack) loud *= decay;
  }
}

const LEVEL = 0.62;
const MOUTHS: Record<string, number> = { child: 1.32, soprano: 1.2, alto: 1.14, tenor: 1.02, baritone: 0.94 };

function singLine(
  bus: StereoSamples,
  line: readonly SungNote[],
  singer: { kind: string; waveforms: WavetableCache },
): void {
  const sung = new Float32Array(bus.left.length);
  const mouth = MOUTHS[singer.kind] ?? 1.1;
  const voice = {
    waveforms: singer.waveforms,
    sampleRate: SAMPLE_RATE,
    mouth,
    rise: 0.046,
    fall: 0.054,
    bend: vibrato,
  };
  for (const note of line) addSyllableSamples(sung, { ...note, loud: LEVEL * note.velocity }, voice);
  for (let i = 0; i < sung.length; i++) {
    (bus.left[i] as number) += sung[i] as number;
    (bus.right[i] as number) += sung[i] as number;
  }
}

function vibrato(seconds: number): number {
  return 0.28 * Math.min(1, Math.max(0, (seconds - 0.22) * 3)) * deterministicSine(seconds * 5.3);
}

const SAMPLE_RATE = 48_000;
const BLOCK = 64;
const MASK = WAVETABLE_SIZE - 1;
const RELEASES = 4;

function playNote(bus: StereoSamples, note: Note, voice: { sound: Timbre; pan: number; waveforms: WavetableCache }) {
  const { sound, pan, waveforms } = voice;
  // Reads the properties once, because reading them inside the loop would be slow.
  const { left, right } = bus;
  const mellow = waveforms.of(sound.mellow);
  const bright = waveforms.of(sound.harmonics);
  const [gainLeft, gainRight] = panGains(pan);
  const step = (midiNoteHertz(note.pitch + 12 * (sound.octave ?? 0)) * WAVETABLE_SIZE) / SAMPLE_RATE;
  const spread = semitoneRatio(sound.detune / 2);
  const loudness = createEnvelope(sound, note.length, note.velocity * sound.level);
  const fadeBlock = blockDecay(sound.fade);
  const tail = Math.round(sound.release * RELEASES * SAMPLE_RATE);
  const end = Math.min(left.length, note.at + note.length + tail);
  let phaseLeft = (note.at * 7) & MASK;
  let phaseRight = (note.at * 11) & MASK;
  let brightness = 1;
  let from = 0;
  for (let at = note.at; at < end; at += BLOCK) {
    const to = loudness.next();
    const stop = Math.min(BLOCK, end - at);
    for (let i = 0; i < stop; i++) {
      const loud = from + ((to - from) * i) / BLOCK;
      const l = phaseLeft & MASK;
      const r = phaseRight & MASK;
      const ml = mellow[l] as number;
      const mr = mellow[r] as number;
      (left[at + i] as number) += gainLeft * loud * (ml + brightness * ((bright[l] as number) - ml));
      (right[at + i] as number) += gainRight * loud * (mr + brightness * ((bright[r] as number) - mr));
      phaseLeft += step * spread;
      phaseRight += step / spread;
    }
    from = to;
    brightness *= fadeBlock;
  }
}

function blockDecay(seconds: number): number {
  return decayPerSample(seconds / BLOCK, SAMPLE_RATE);
}

function createEnvelope(sound: Timbre, length: number, level: number): { next(): number } {
  const attack = Math.max(BLOCK, sound.attack * SAMPLE_RATE);
  const decay = blockDecay(sound.decay);
  const release = blockDecay(sound.release);
  let falling = 1 - sound.sustain;
  let releasing = 1;
  let at = 0;
  return {
    next: () => {
      at += BLOCK;
      if (at > attack) falling *= decay;
      if (at > length) releasing *= release;
      return level * Math.min(1, at / attack) * (sound.sustain + falling) * releasing;
    },
  };
}
