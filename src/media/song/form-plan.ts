import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { type Syllable, splitSyllables } from '../speech/syllables.ts';

export type SectionKind = 'first' | 'intro' | 'verse' | 'pre-chorus' | 'chorus' | 'bridge' | 'outro' | 'last';

interface SectionTraits {
  bars: number;
  different: number;
  intensity: number;
  loud: number;
  chords: 'verse' | 'chorus' | 'bridge';
  centre: number;
}

export const SECTION_TRAITS: Record<SectionKind, SectionTraits> = {
  first: { bars: 1, different: 1, intensity: 0.2, loud: 0.7, chords: 'verse', centre: 2 },
  intro: { bars: 4, different: 4, intensity: 0.38, loud: 0.7, chords: 'verse', centre: 2 },
  verse: { bars: 8, different: 4, intensity: 0.6, loud: 0.76, chords: 'verse', centre: 2 },
  'pre-chorus': { bars: 4, different: 2, intensity: 0.75, loud: 0.84, chords: 'bridge', centre: 4 },
  chorus: { bars: 8, different: 4, intensity: 1, loud: 1, chords: 'chorus', centre: 5 },
  bridge: { bars: 4, different: 4, intensity: 0.5, loud: 0.72, chords: 'bridge', centre: 3 },
  outro: { bars: 4, different: 2, intensity: 0.45, loud: 0.76, chords: 'chorus', centre: 2 },
  last: { bars: 1, different: 1, intensity: 0.8, loud: 0.9, chords: 'verse', centre: 0 },
};

interface LyricSection {
  kind: SectionKind;
  lines: Syllable[][];
}

const KINDS: [RegExp, SectionKind][] = [
  [/^pre.?chorus/, 'pre-chorus'],
  [/^(intro|opening)/, 'intro'],
  [/^(chorus|refrain|hook|drop)/, 'chorus'],
  [/^(bridge|break|solo|interlude|instrumental)/, 'bridge'],
  [/^(outro|end|coda|fade)/, 'outro'],
];
const MAX_SYLLABLES = 24;

/** Lines before the first section tag are a verse [R187]. */
function readSections(lyrics: string): LyricSection[] {
  const sections: LyricSection[] = [];
  for (const line of lyrics.split(/\r?\n/)) {
    const tag = extractSectionTagText(line);
    if (tag !== undefined) sections.push({ kind: kindOf(tag), lines: [] });
    const syllables = tag === undefined ? splitSyllables(line).slice(0, MAX_SYLLABLES) : [];
    if (syllables.length === 0) continue;
    if (sections.length === 0) sections.push({ kind: 'verse', lines: [] });
    sections.at(-1)?.lines.push(syllables);
  }
  return sections;
}

export function extractSectionTagText(line: string): string | undefined {
  const bare = line.trim();
  if (!bare.startsWith('[') || bare.indexOf(']') !== bare.length - 1) return undefined;
  return bare.length > 2 ? bare.slice(1, -1).trim() : undefined;
}

function kindOf(tag: string): SectionKind {
  const name = tag.toLowerCase();
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'verse';
}

export interface Phrase {
  kind: SectionKind;
  bars: number;
  lines: Syllable[][];
}

export interface FormBar {
  phrase: number;
  bar: number;
}

export interface SongForm {
  phrases: Phrase[];
  bars: FormBar[];
}

const GIVE_WAY: [SectionKind, number][] = [
  ['bridge', 2],
  ['intro', 2],
  ['outro', 1],
  ['intro', 1],
  ['pre-chorus', 1],
  ['bridge', 1],
  ['verse', 2],
  ['chorus', 2],
  ['bridge', 0],
  ['pre-chorus', 0],
  ['outro', 0],
];
const PLAIN_FORM: SectionKind[] = ['intro', 'verse', 'chorus', 'verse', 'chorus', 'bridge', 'chorus', 'outro'];

export function planForm(lyrics: string | null, bars: number, mostSounded: number): SongForm {
  const sections = fitSections(sectionsFor(lyrics), bars - 2);
  const single = (kind: SectionKind): Section => ({ ...unsung(kind), bars: 1 });
  const order = [single('first'), ...sections, single('last')];
  const phrases = choosePhrases(order, mostSounded);
  return {
    phrases,
    bars: order.flatMap((section) => playSection(section, phrases)),
  };
}

function unsung(kind: SectionKind): LyricSection {
  return { kind, lines: [] };
}

function sectionsFor(lyrics: string | null): Section[] {
  const written = lyrics === null ? [] : readSections(lyrics);
  const sections: LyricSection[] = written.length > 0 ? written : PLAIN_FORM.map(unsung);
  const framed = [...sections];
  if (framed[0]?.kind !== 'intro') framed.unshift(unsung('intro'));
  if (framed.at(-1)?.kind !== 'outro') framed.push(unsung('outro'));
  return framed.map((section) => ({ ...section, bars: SECTION_TRAITS[section.kind].bars }));
}

interface Section extends LyricSection {
  bars: number;
}

const DISPENSABLE: SectionKind[] = ['bridge', 'pre-chorus', 'verse', 'chorus'];

function fitSections(wanted: readonly Section[], bars: number): Section[] {
  const sections = wanted.map((section) => ({ ...section }));
  const total = () => sections.reduce((sum, section) => sum + section.bars, 0);
  const frame = sections.filter(({ kind }) => kind === 'intro' || kind === 'outro');
  const shortened = () => halve(sections, 4) || dropRepetition(sections) || halve(frame, 1) || halve(sections, 1);
  while (total() > bars && shortened());
  while (total() > bars) sections.splice(-2, 1);
  const [verse, chorus] = (['verse', 'chorus'] as const).map((kind) => sections.find((one) => one.kind === kind));
  for (const round of [[verse, chorus], [chorus ?? verse]].map((body) => body.filter((one) => one !== undefined))) {
    const length = round.reduce((sum, section) => sum + section.bars, 0);
    while (length > 0 && total() + length <= bars) sections.splice(-1, 0, ...round.map((one) => ({ ...one })));
  }
  const left = bars - total();
  const lengthened = (left > 2 ? sections.find(({ kind }) => kind === 'chorus') : undefined) ?? sections[0];
  if (lengthened) lengthened.bars += left;
  return sections;
}

function dropRepetition(sections: Section[]): boolean {
  for (const kind of DISPENSABLE) {
    const alike = sections.filter((section) => section.kind === kind);
    const last = alike.at(-1);
    if (!last || (alike.length === 1 && (kind === 'verse' || kind === 'chorus'))) continue;
    sections.splice(sections.indexOf(last), 1);
    return true;
  }
  return false;
}

function halve(sections: readonly Section[], least: number): boolean {
  const longest = Math.max(0, ...sections.map((section) => section.bars));
  if (longest <= least) return false;
  for (const section of sections) if (section.bars === longest) section.bars = longest / 2;
  return true;
}

function choosePhrases(sections: Section[], mostSounded: number): Phrase[] {
  const phrases: Phrase[] = [];
  for (const { kind, bars, lines } of sections) {
    if (kind === 'outro' && lines.length === 0) continue;
    const known = phrases.find((phrase) => phrase.kind === kind);
    if (!known) phrases.push({ kind, bars: Math.min(bars, SECTION_TRAITS[kind].different), lines });
    if (known) known.bars = Math.max(known.bars, Math.min(bars, SECTION_TRAITS[kind].different));
    if (known?.lines.length === 0) known.lines = lines;
  }
  for (const [kind, bars] of GIVE_WAY) {
    const sounded = phrases.reduce((sum, phrase) => sum + phrase.bars, 0);
    const phrase = phrases.find((one) => one.kind === kind);
    if (phrase && sounded > mostSounded) phrase.bars = Math.min(phrase.bars, bars);
  }
  return phrases.filter(({ bars }) => bars > 0);
}

function playSection({ kind, bars }: Section, phrases: Phrase[]): FormBar[] {
  const own = phrases.findIndex((phrase) => phrase.kind === kind);
  const phrase = own < 0 ? phrases.findIndex((one) => one.kind === 'intro') : own;
  const length = phrases[phrase]?.bars ?? 1;
  return Array.from({ length: bars }, (_, i) => ({
    phrase,
    bar: i === bars - 1 ? length - 1 : i % length,
  }));
}

export type InstrumentRole = 'bass' | 'comp' | 'lead';

export interface Genre {
  words: string[];
  tempo: [number, number];
  modes: string[];
  grooves: string[];
  /** The delay of every second eighth, in eighths. */
  swing?: number;
  sevenths?: boolean;
}

interface StyleWords {
  tempos: Record<string, [number, number]>;
  modes: Record<string, string>;
  metres: Record<string, string>;
  singers: Record<string, string>;
  drumless: string[];
}

/** Patterns of drums, bass and chords: one bar with one character per step. Several patterns are alternatives. */
export interface Groove {
  steps: number;
  beats: number;
  drums: Record<string, string[]>;
  lift: Record<string, string[]>;
  bass: string[];
  comp: string[];
}

export type ChordProgressionKind = 'verse' | 'chorus' | 'bridge';

export interface HarmonyTables {
  modes: Record<string, number[]>;
  progressions: Record<string, Record<ChordProgressionKind, number[][]>>;
  cells: Record<string, string[]>;
}

/** A timbre: the loudness of each harmonic at the attack (`harmonics`) and later (`mellow`). Times are in seconds. */
export interface Timbre {
  harmonics: number[];
  mellow: number[];
  fade: number;
  attack: number;
  decay: number;
  sustain: number;
  release: number;
  /** Semitones between the left and the right oscillator. */
  detune: number;
  octave?: number;
  level: number;
}

export interface DrumSound {
  seconds: number;
  pan?: number;
  tone?: { from: number; to: number; sweep: number; decay: number; level: number };
  noise?: { bright: number; decay: number; level: number; attack?: number; bursts?: number };
}

export interface MusicData {
  genres: Record<string, Genre>;
  words: StyleWords;
  grooves: Record<string, Groove>;
  harmony: HarmonyTables;
  sounds: Record<InstrumentRole, Timbre>;
  drums: Record<string, DrumSound>;
}

export function readMusicData(): MusicData {
  const read = (name: string) =>
    JSON.parse(readFileSync(path.join(packageDataFolder(), 'music', `${name}.json`), 'utf8'));
  return {
    genres: read('genres'),
    words: read('style-words'),
    grooves: read('grooves'),
    harmony: read('harmony'),
    sounds: read('sounds'),
    drums: read('drum-sounds'),
  };
}

export function requireTableEntry<T>(table: Record<string, T>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new Error(`fixtures/music holds no "${name}".`);
  return found;
}
