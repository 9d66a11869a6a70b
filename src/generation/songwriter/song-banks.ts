import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fixtureFolder } from '../../package/fixture-folder.ts';
import { loadLexicon } from '../../render/text/chat-banks.ts';
import type { Lexicon } from '../../render/text/lexicon.ts';

/** Two lines that rhyme. */
export type Couplet = readonly [string, string];
type ByMood<T> = Readonly<Record<SongMood, readonly T[]>>;

export type SongMood = 'love' | 'sad' | 'bold' | 'calm' | 'dark' | 'bright';

/** Four lines that come back word for word, and the words they are remembered by. */
export interface Chorus {
  hook: string;
  lines: readonly string[];
}

/** `fixtures/songs/styles.json`. */
export interface StyleBank {
  moods: Readonly<Record<SongMood, string>>;
  genres: Readonly<Record<string, Genre>>;
  genresByMood: ByMood<string>;
  /** The word for a tempo up to so many beats a minute. */
  tempoWords: readonly (readonly [number, string])[];
  vocals: Readonly<Record<string, string>>;
  singers: ByMood<string>;
}

export interface Genre {
  match: string;
  /** Slowest and fastest, in beats a minute. */
  tempo: readonly [number, number];
  instruments: readonly string[];
}

/** `fixtures/songs/lyrics.json`. */
export interface LyricBank {
  verses: ByMood<Couplet>;
  subjects: readonly Couplet[];
  preChoruses: ByMood<Couplet>;
  choruses: ByMood<Chorus>;
  chorusTags: readonly Couplet[];
  bridges: ByMood<Couplet>;
  intros: readonly Couplet[];
  outros: ByMood<Couplet>;
  fallbackSubjects: ByMood<string>;
  titles: readonly string[];
}

/** A language other than English that lyrics are written in. */
export interface Language {
  /** As a style names it: `German`. */
  name: string;
  /** What it is called, in whatever language. */
  names: ReadonlySet<string>;
  /** Everyday words, by which a text is known to be in it. */
  words: ReadonlySet<string>;
  lyrics: LyricBank;
}

/** A language in `fixtures/songs/languages.json`: its lines suit every mood. */
type LanguageFile = Record<'names' | 'words', string> & {
  [Part in keyof LyricBank]: LyricBank[Part] extends ByMood<infer Line> ? readonly Line[] : LyricBank[Part];
};

/** What songs are made of. */
export interface SongBanks {
  styles: StyleBank;
  lyrics: LyricBank;
  lexicon: Lexicon;
  languages: readonly Language[];
  /** Names of languages that no lyrics are written in. */
  otherLanguages: ReadonlySet<string>;
}

/** Reads `fixtures/songs`. */
export function loadSongBanks(): SongBanks {
  const { languages, otherNames } = read<{ languages: Record<string, LanguageFile>; otherNames: string }>('languages');
  return {
    styles: read('styles'),
    lyrics: read('lyrics'),
    lexicon: loadLexicon(),
    languages: Object.entries(languages).map(([name, file]) => readLanguage(name, file)),
    otherLanguages: new Set(otherNames.split(' ')),
  };
}

function readLanguage(name: string, { names, words, ...lines }: LanguageFile): Language {
  const { verses, preChoruses, choruses, bridges, outros, fallbackSubjects } = lines;
  const lyrics = {
    ...lines,
    verses: inEveryMood(verses),
    preChoruses: inEveryMood(preChoruses),
    choruses: inEveryMood(choruses),
    bridges: inEveryMood(bridges),
    outros: inEveryMood(outros),
    fallbackSubjects: inEveryMood(fallbackSubjects),
  };
  return { name, names: new Set(names.split(' ')), words: new Set(words.split(' ')), lyrics };
}

function inEveryMood<T>(lines: readonly T[]): ByMood<T> {
  return { love: lines, sad: lines, bold: lines, calm: lines, dark: lines, bright: lines };
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(path.join(fixtureFolder(), 'songs', `${name}.json`), 'utf8'));
}

/** A section of a song by the tag it stands under. */
export type SectionTag = 'Intro' | 'Verse' | 'Pre-Chorus' | 'Chorus' | 'Bridge' | 'Outro';

/** A section and how many lines it has; an even number, for lines rhyme in pairs. */
export type FormStep = readonly [SectionTag, number];

/** Forms by their length in seconds: about one line to three or four seconds. */
const FORMS: readonly (readonly [number, string])[] = [
  [30, 'Verse 4, Chorus 4'],
  [60, 'Verse 4, Pre-Chorus 2, Chorus 4, Verse 4, Chorus 4'],
  [90, 'Intro 2, Verse 4, Pre-Chorus 2, Chorus 4, Verse 4, Pre-Chorus 2, Chorus 4, Outro 2'],
  [120, 'Intro 2, Verse 6, Pre-Chorus 2, Chorus 4, Verse 4, Pre-Chorus 2, Chorus 4, Bridge 4, Chorus 4, Outro 2'],
  [150, 'Intro 2, Verse 8, Pre-Chorus 2, Chorus 4, Verse 8, Pre-Chorus 2, Chorus 4, Bridge 4, Chorus 4, Outro 4'],
  [180, 'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 4, Chorus 6, Outro 4'],
  [
    210,
    'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 6, Verse 6, Chorus 6, Outro 4',
  ],
  [
    240,
    'Intro 2, Verse 8, Pre-Chorus 4, Chorus 6, Verse 8, Pre-Chorus 4, Chorus 6, Bridge 6, Verse 8, Chorus 6, Chorus 6, Outro 4',
  ],
];

/** The form of a song of so many seconds; below 30 and above 240 the shortest and the longest. */
export function formOf(seconds: number): FormStep[] {
  const [, form = ''] = FORMS.findLast(([length]) => length <= seconds) ?? FORMS[0] ?? [];
  return form.split(', ').map((step) => {
    const [tag, lines] = step.split(' ');
    return [tag as SectionTag, Number(lines)];
  });
}

const TAGS = new Set(['[intro]', '[verse]', '[pre-chorus]', '[chorus]', '[bridge]', '[outro]']);

/** Lyrics without any section tag are one verse [R187 I180]; tagged ones stay as they are. */
export function withTags(lyrics: string): string {
  const tagged = lyrics.split('\n').some((line) => TAGS.has(line.trim().toLowerCase()));
  return tagged ? lyrics : `[Verse]\n${lyrics}`;
}
