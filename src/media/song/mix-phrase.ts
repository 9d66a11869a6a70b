import { hashText, SeededRandom } from '../paint/seeded-random.ts';
import { decayPerSample, sine } from '../speech/exact-math.ts';
import { holdVowel, Waveforms } from '../speech/held-vowel.ts';
import { SECTIONS, type SectionKind } from './lyric-sections.ts';
import { type DrumSound, entry, type MusicData, type Role, type Sound } from './music-data.ts';
import { playNote, SAMPLE_RATE } from './play-note.ts';
import { type Hit, panGains, type Score, type Stereo, type SungNote, silence } from './score.ts';
import type { SongIdentity, Take } from './song-identity.ts';

/** Everyone who makes sound in a take. */
export interface Band {
  side: number;
  sounds: Record<Role, Sound>;
  kit: DrumKit;
  waveforms: Waveforms;
  /** Kind of voice. */
  singer: string;
}

/** How loud each part is in the mix: the tune stands out. */
const LOUD: Record<Role | 'drums' | 'voice', number> = { voice: 0.5, lead: 0.4, drums: 0.4, bass: 0.28, comp: 0.24 };
const PANS: Record<Role, number> = { bass: 0, comp: -0.28, lead: 0.22 };
/** A phrase falls silent in its last 16 ms, so that any other may follow. */
const EDGE_SAMPLES = 768;

export function assembleBand(song: SongIdentity, { side }: Take, { drums, sounds }: MusicData): Band {
  return { side, sounds, kit: createDrumKit(drums), waveforms: new Waveforms(), singer: song.singer ?? 'alto' };
}

/** Plays a score; the last phrase of a song dies away instead of breaking off. */
export function mixPhrase(band: Band, score: Score, kind: SectionKind): Stereo {
  const bus = silence(score.samples);
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
  scale(bus, SECTIONS[kind].loud);
  fadeEnd(bus, kind === 'last' ? score.samples * 0.6 : EDGE_SAMPLES);
  return bus;
}

function scale({ left, right }: Stereo, gain: number): void {
  for (let i = 0; i < left.length; i++) {
    (left[i] as number) *= gain;
    (right[i] as number) *= gain;
  }
}

function fadeEnd({ left, right }: Stereo, fade: number): void {
  const from = Math.max(0, Math.round(left.length - fade));
  for (let i = from; i < left.length; i++) {
    const share = (left.length - i) / (left.length - from);
    const gain = share * share * (3 - 2 * share);
    (left[i] as number) *= gain;
    (right[i] as number) *= gain;
  }
}

interface DrumKit {
  /** Adds one blow to `bus`; `side` mirrors the kit. */
  play(bus: Stereo, hit: Hit, side: number): void;
}

/** Every drum is made once, when it is first hit. */
function createDrumKit(sounds: Record<string, DrumSound>): DrumKit {
  const made = new Map<string, Float32Array>();
  return {
    play: (bus, hit, side) => {
      const sound = entry(sounds, hit.drum);
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

/** A tone that falls from one pitch to another, as a drumhead does. */
function addTone(samples: Float32Array, tone: NonNullable<DrumSound['tone']>): void {
  const decay = decayPerSample(tone.decay, SAMPLE_RATE);
  const sweep = decayPerSample(tone.sweep, SAMPLE_RATE);
  let loud = tone.level;
  let above = tone.from - tone.to;
  let turns = 0;
  for (let i = 0; i < samples.length; i++) {
    (samples[i] as number) += loud * sine(turns) * Math.min(1, i / 24);
    turns += (tone.to + above) / SAMPLE_RATE;
    loud *= decay;
    above *= sweep;
  }
}

/** Noise, the brighter the fewer of its low tones are left; `bursts` are hands that clap not quite together. */
function addNoise(samples: Float32Array, noise: NonNullable<DrumSound['noise']>, name: string): void {
  const dice = new SeededRandom(hashText(`drum ${name}`));
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
/** How high the resonances of each kind of voice lie, beside a man's. */
const MOUTHS: Record<string, number> = { child: 1.32, soprano: 1.2, alto: 1.14, tenor: 1.02, baritone: 0.94 };

/** Adds a line to `bus`, in the middle. */
function singLine(bus: Stereo, line: readonly SungNote[], singer: { kind: string; waveforms: Waveforms }): void {
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
  for (const note of line) holdVowel(sung, { ...note, loud: LEVEL * note.velocity }, voice);
  for (let i = 0; i < sung.length; i++) {
    (bus.left[i] as number) += sung[i] as number;
    (bus.right[i] as number) += sung[i] as number;
  }
}

function vibrato(seconds: number): number {
  return 0.28 * Math.min(1, Math.max(0, (seconds - 0.22) * 3)) * sine(seconds * 5.3);
}
