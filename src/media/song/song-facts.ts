import { SONG_FORMAT } from '../mp3/stream-format.ts';
import { BARS_A_LINE } from './compose-tune.ts';
import type { PlayedSection, SongForm } from './form-plan.ts';
import type { SectionKind } from './lyric-sections.ts';
import type { Score } from './score.ts';
import type { SongIdentity } from './song-identity.ts';

/** Something that begins in a song, and when, in milliseconds. */
export interface Moment {
  at: number;
  text: string;
}

/** What can be told of a song before anyone hears it. */
export interface SongFacts {
  /** Such as `Drum And Bass`. */
  genre: string;
  /** Beats a minute. */
  tempo: number;
  /** As ID3 writes it: `C`, `F#m`. */
  key: string;
  /** Sections as they are played. */
  chapters: Moment[];
  /** Lines as they are sung. */
  lines: Moment[];
  /** Length of the whole, in milliseconds. */
  length: number;
}

const FRAME_MS = 24;
/** So much a hand is before its time, or behind it. */
const LOOSE_MS = 8;
const NOTES = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'];
const MINOR_THIRD = 3;
/** Bars of their own that frame a song are no sections to a listener. */
const FRAME: SectionKind[] = ['first', 'last'];

/** What is played: the song, the order of its bars, and the notes of each phrase. */
interface Played {
  song: SongIdentity;
  form: SongForm;
  scores: readonly Score[];
}

export function describeSong(played: Played): SongFacts {
  const { song, form } = played;
  const { barFrames, groove, tonic, scale, genreName } = song;
  const barMs = barFrames * FRAME_MS;
  const sections = form.sections.filter(({ kind }) => !FRAME.includes(kind));
  const sung = song.singer === null ? [] : timesSung(played);
  return {
    genre: capitalised(genreName),
    tempo: Math.round((groove.beats * 60_000) / barMs),
    key: `${NOTES[tonic % 12] ?? 'C'}${scale[2] === MINOR_THIRD ? 'm' : ''}`,
    chapters: sections.map((section, i) => ({
      // The first one begins with the song.
      at: i === 0 ? 0 : section.from * barMs,
      text: titleOf(section, sections),
    })),
    lines: song.singer === null ? [] : sections.flatMap((section) => linesOf(section, { barMs, sung })),
    length: form.bars.length * barMs,
  };
}

/** When each note begins that is sung, in milliseconds. */
function timesSung({ song, form, scores }: Played): number[] {
  const barMs = song.barFrames * FRAME_MS;
  return form.bars.flatMap(({ phrase, bar }, place) => {
    const times = (scores[phrase]?.sung ?? []).map(({ at }) => (at * 1000) / SONG_FORMAT.sampleRate - bar * barMs);
    const own = times.filter((time) => time >= -LOOSE_MS && time < barMs - LOOSE_MS);
    return own.map((time) => Math.max(0, Math.round(place * barMs + time)));
  });
}

/** Each line begins with the first note that is sung in its bars; more lines than there is room for share them evenly. */
function linesOf(section: PlayedSection, { barMs, sung }: { barMs: number; sung: readonly number[] }): Moment[] {
  const { from, bars, texts } = section;
  const rooms = Math.ceil(bars / BARS_A_LINE);
  return texts.map((text, i) => {
    const share = (i * rooms) / texts.length;
    const room = texts.length <= rooms ? Math.floor(share) : share;
    const begins = Math.round((from + room * BARS_A_LINE) * barMs);
    const first = sung.find((time) => time >= begins - LOOSE_MS);
    return { at: first !== undefined && first < (from + bars) * barMs ? first : begins, text };
  });
}

/** `Verse 2`, and `Intro` where there is one only. */
function titleOf(section: PlayedSection, sections: readonly PlayedSection[]): string {
  const alike = sections.filter(({ kind }) => kind === section.kind);
  const number = alike.length > 1 ? ` ${alike.indexOf(section) + 1}` : '';
  return capitalised(section.kind) + number;
}

function capitalised(words: string): string {
  return words.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
