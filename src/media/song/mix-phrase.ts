import { createDrumKit, type DrumKit } from './drum-kit.ts';
import type { SectionKind } from './lyric-sections.ts';
import type { MusicData, Role } from './music-data.ts';
import { createWaveforms, playNote, type Waveforms } from './play-note.ts';
import { type Score, type Stereo, silence } from './score.ts';
import { createSinger, type Singer } from './singer.ts';
import type { SongIdentity } from './song-identity.ts';
import type { Take } from './take.ts';

/** Everyone who makes sound in a take. */
export interface Band {
  take: Take;
  kit: DrumKit;
  waveforms: Waveforms;
  singer: Singer;
}

/** A group of sounds with a loudness of its own. */
export type Channel = Role | 'drums' | 'voice';

/** How loud each channel is in the mix, as a factor. */
export type Faders = Record<Channel, number>;

const PANS: Record<Role, number> = { bass: 0, comp: -0.28, pad: 0.2, lead: 0.22 };
/** How hard a section is played: a chorus stands out, a bridge steps back. */
const DYNAMICS: Record<SectionKind, number> = {
  first: 0.7,
  intro: 0.7,
  verse: 0.76,
  'pre-chorus': 0.84,
  chorus: 1,
  bridge: 0.72,
  outro: 0.76,
  last: 0.9,
};
const ROOM = 0.32;
/** A phrase falls silent in its last 16 ms, so that any other may follow. */
const EDGE_SAMPLES = 768;

export function assembleBand(song: SongIdentity, take: Take, data: MusicData): Band {
  const waveforms = createWaveforms();
  const singer = createSinger(song.singer ?? 'alto', waveforms);
  return { take, kit: createDrumKit(data.drums), waveforms, singer };
}

/** Plays a score; the last phrase of a song dies away instead of breaking off. */
export function mixPhrase(band: Band, score: Score, faders: Faders, kind: SectionKind): Stereo {
  const bus = silence(score.samples);
  for (const channel of ['comp', 'pad', 'lead', 'voice'] as const) {
    playChannel(band, score, bus, [channel, faders[channel]]);
  }
  addRoom(bus, ROOM);
  playChannel(band, score, bus, ['bass', faders.bass]);
  playChannel(band, score, bus, ['drums', faders.drums]);
  scale(bus, DYNAMICS[kind]);
  fadeEnd(bus, kind === 'last' ? score.samples * 0.6 : EDGE_SAMPLES);
  return bus;
}

/** Adds what one channel plays to `bus`, `gain` times as loud. */
export function playChannel(
  { take, kit, singer, waveforms }: Band,
  score: Score,
  bus: Stereo,
  [channel, gain]: [Channel, number],
): void {
  const faded = <T extends { velocity: number }>(played: T) => ({
    ...played,
    velocity: played.velocity * gain,
  });
  if (channel === 'voice') singer.sing(bus, score.sung.map(faded));
  if (channel === 'drums') for (const hit of score.hits) kit.play(bus, faded(hit), take.side);
  if (channel === 'voice' || channel === 'drums') return;
  const voice = { sound: take.sounds[channel], pan: PANS[channel] * take.side, waveforms };
  for (const note of score.notes) if (note.role === channel) playNote(bus, faded(note), voice);
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

/** Echo times in samples that have no common measure, so that the room has no tone of its own. */
const COMBS = [1687, 1601, 2053, 2251] as const;
const FEEDBACK = 0.76;
const DAMPING = 0.35;
const DIFFUSERS = { left: 241, right: 277 };

/** Adds the room's answer to `bus`, `amount` times as loud as the sound itself. */
function addRoom(bus: Stereo, amount: number): void {
  const mono = new Float32Array(bus.left.length);
  for (let i = 0; i < mono.length; i++) {
    mono[i] = ((bus.left[i] as number) + (bus.right[i] as number)) * amount * 0.25;
  }
  addEchoes(mono, [COMBS[0], COMBS[2], DIFFUSERS.left], bus.left);
  addEchoes(mono, [COMBS[1], COMBS[3], DIFFUSERS.right], bus.right);
}

/** Through two combs beside each other and a diffuser behind them in one go: a processor is in one comb while it still adds up in the other. */
function addEchoes(mono: Float32Array, delays: readonly [number, number, number], output: Float32Array): void {
  const [line1, line2, line3] = delays.map((delay) => new Float32Array(delay)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  let [at1, at2, at3, damped1, damped2] = [0, 0, 0, 0, 0];
  for (let i = 0; i < mono.length; i++) {
    const sample = mono[i] as number;
    const echo1 = line1[at1] as number;
    const echo2 = line2[at2] as number;
    damped1 = echo1 + (damped1 - echo1) * DAMPING;
    damped2 = echo2 + (damped2 - echo2) * DAMPING;
    line1[at1] = sample + damped1 * FEEDBACK;
    line2[at2] = sample + damped2 * FEEDBACK;
    at1 = at1 + 1 === line1.length ? 0 : at1 + 1;
    at2 = at2 + 1 === line2.length ? 0 : at2 + 1;
    const held = line3[at3] as number;
    const sent = Math.fround(echo1 + echo2) + held * 0.6;
    line3[at3] = sent;
    at3 = at3 + 1 === line3.length ? 0 : at3 + 1;
    (output[i] as number) += held - sent * 0.6;
  }
}
