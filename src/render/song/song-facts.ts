import type { PlayedSection, SongForm } from './form-plan.ts';
import type { SectionKind } from './lyric-sections.ts';
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
const NOTES = ['C', 'C#', 'D', 'D#', 'E', 'F', 'F#', 'G', 'G#', 'A', 'A#', 'B'];
const MINOR_THIRD = 3;
/** Bars of their own that frame a song are no sections to a listener. */
const FRAME: SectionKind[] = ['first', 'last'];

export function describeSong(song: SongIdentity, form: SongForm): SongFacts {
  const { barFrames, groove, tonic, scale, genreName } = song;
  const barMs = barFrames * FRAME_MS;
  const sections = form.sections.filter(({ kind }) => !FRAME.includes(kind));
  return {
    genre: capitalised(genreName),
    tempo: Math.round((groove.beats * 60_000) / barMs),
    key: `${NOTES[tonic % 12] ?? 'C'}${scale[2] === MINOR_THIRD ? 'm' : ''}`,
    chapters: sections.map((section, i) => ({
      // The first one begins with the song.
      at: i === 0 ? 0 : section.from * barMs,
      text: titleOf(section, sections),
    })),
    lines: song.singer === null ? [] : sections.flatMap((section) => linesOf(section, barMs)),
    length: form.bars.length * barMs,
  };
}

/** Evenly over the section: a line has the more time the fewer there are. */
function linesOf({ from, bars, texts }: PlayedSection, barMs: number): Moment[] {
  return texts.map((text, i) => ({ at: Math.round((from + (i * bars) / texts.length) * barMs), text }));
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
