import { createDrumKit, type DrumKit } from './drum-kit.ts';
import type { MusicData, Role } from './music-data.ts';
import { playNote } from './play-note.ts';
import { addRoom } from './reverb.ts';
import type { Score } from './score.ts';
import { createSinger, type Singer } from './singer.ts';
import type { SongIdentity } from './song-identity.ts';
import { type Stereo, silence } from './stereo.ts';
import type { Take } from './take.ts';
import { createWaveforms, type Waveforms } from './wavetable.ts';

/** Everyone who makes sound in a take. */
export interface Band {
  take: Take;
  kit: DrumKit;
  waveforms: Waveforms;
  singer: Singer;
}

const LEVELS: Record<Role, number> = { bass: 0.34, comp: 0.17, pad: 0.12, lead: 0.3 };
const PANS: Record<Role, number> = { bass: 0, comp: -0.28, pad: 0.2, lead: 0.22 };
const DRUM_LEVEL = 0.42;
const VOICE_LEVEL = 0.6;
const ROOM = 0.32;
/** A phrase falls silent in its last 16 ms, so that any other may follow. */
const EDGE_SAMPLES = 768;

export function assembleBand(song: SongIdentity, take: Take, data: MusicData): Band {
  const waveforms = createWaveforms();
  const singer = createSinger(song.singer ?? 'alto', waveforms);
  return { take, kit: createDrumKit(data.drums), waveforms, singer };
}

/** Plays a score; the last phrase of a song dies away instead of breaking off. */
export function mixPhrase(band: Band, score: Score, isLast: boolean): Stereo {
  const room = silence(score.samples);
  const { take, waveforms } = band;
  const notesOf = (dry: boolean) => score.notes.filter(({ role }) => (role === 'bass') === dry);
  const play = (bus: Stereo, dry: boolean) => {
    for (const note of notesOf(dry)) {
      const voice = { sound: take.sounds[note.role], pan: PANS[note.role] * take.side, waveforms };
      playNote(bus, { ...note, velocity: note.velocity * LEVELS[note.role] }, voice);
    }
  };
  play(room, false);
  const line = score.sung.map((note) => ({ ...note, velocity: note.velocity * VOICE_LEVEL }));
  band.singer.sing(room, line);
  addRoom(room, ROOM);
  play(room, true);
  for (const hit of score.hits) {
    band.kit.play(room, { ...hit, velocity: hit.velocity * DRUM_LEVEL }, take.side);
  }
  fadeEnd(room, isLast ? score.samples * 0.6 : EDGE_SAMPLES);
  return room;
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
