import { Waveforms } from '../speech/held-vowel.ts';
import { createDrumKit, type DrumKit } from './drum-kit.ts';
import { SECTIONS, type SectionKind } from './lyric-sections.ts';
import type { MusicData, Role, Sound } from './music-data.ts';
import { playNote } from './play-note.ts';
import { type Score, type Stereo, silence } from './score.ts';
import { singLine } from './singer.ts';
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
