import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureFolder } from '../../base/package/fixture-folder.ts';

export type Triple = readonly [number, number, number];

/** Noise in bands: for each its hertz, its width and how loud it is. */
export type Hiss = readonly Triple[];

type Vowel = [formants: Triple, widths: Triple, ms: number, least: number, glide?: Triple];
type Consonant = [formants: Triple, widths: Triple, voiced: number, ms: number, least: number, hiss?: Hiss];
/** Closure, burst and breath behind it, in milliseconds. */
type Stop = [formants: Triple, voiced: number, ms: Triple, hiss: Hiss];
type Affricate = [stop: string, voiced: number, ms: number, hiss: Hiss];

/** `fixtures/speech/phones.json`, by the letter that stands for a sound. */
interface PhoneFile {
  vowels: Record<string, Vowel>;
  consonants: Record<string, Consonant>;
  stops: Record<string, Stop>;
  affricates: Record<string, Affricate>;
  /** Resonances of the vowels that are sung: hertz, width at half power, gain. */
  sung: Record<string, Triple[]>;
}

const TABLES = JSON.parse(readFileSync(join(fixtureFolder(), 'speech/phones.json'), 'utf8')) as PhoneFile;
export const SUNG = TABLES.sung;

/** A stretch of sound for which mouth and throat aim at one posture; most phones are one, stops are several. */
export interface Segment {
  /** First three resonances of a man's mouth in hertz; those of the next sound where it has none of its own. */
  formants: Triple | undefined;
  /** Where they go until its end: the second half of a diphthong. */
  glide: Triple | undefined;
  /** Widths of the three resonances, in hertz. */
  widths: Triple;
  /** How loud the voice is, and the breath that goes through the mouth. */
  voiced: number;
  breath: number;
  /** What hisses at a narrow place. */
  hiss: Hiss | undefined;
  /** Length in seconds: as it is said alone with stress, and at least. */
  seconds: number;
  least: number;
  /** The one of two neighbours that decides where their formants meet. */
  rank: number;
  /** Formants that are shaped by the vowel beside it: a sound of the back of the tongue. */
  isVelar: boolean;
  isVowel: boolean;
  /** Sets in at once, as a burst does. */
  isSudden: boolean;
}

/** A segment with the length and the pitch at which it is spoken. */
export interface TimedSegment {
  segment: Segment;
  seconds: number;
  /** Hertz at its beginning and its end. */
  pitch: [number, number];
  /** Loudness beside other sounds of its kind. */
  stress: number;
}
const BREATH = 0.32;
const RANKS = { vowel: 1, breath: 0, liquid: 4, nasal: 7, fricative: 6, stop: 9 };

const SILENT: Segment = {
  ...{ formants: undefined, glide: undefined, widths: [90, 110, 170], voiced: 0, breath: 0, hiss: undefined },
  ...{ seconds: 0, least: 0, rank: RANKS.breath, isVelar: false, isVowel: false, isSudden: false },
};

function vowel([formants, widths, ms, least, glide]: Vowel): Segment[] {
  const times = { seconds: ms / 1000, least: least / 1000 };
  return [{ ...SILENT, formants, glide, widths, voiced: 1, ...times, rank: RANKS.vowel, isVowel: true }];
}

function consonant(letter: string, [formants, widths, voiced, ms, least, hiss]: Consonant): Segment[] {
  const rank = hiss ? RANKS.fricative : 'mnN'.includes(letter) ? RANKS.nasal : RANKS.liquid;
  return [{ ...SILENT, formants, widths, voiced, hiss, seconds: ms / 1000, least: least / 1000, rank }];
}

function stop(letter: string, [formants, voiced, [shut, burst, breath], hiss]: Stop): Segment[] {
  const isVelar = letter === 'k' || letter === 'g';
  const part = { ...SILENT, formants, isVelar, rank: RANKS.stop };
  const lasting = (ms: number) => ({ seconds: ms / 1000, least: (ms * 0.7) / 1000 });
  return [
    { ...part, voiced, widths: [60, 200, 300], ...lasting(shut) },
    { ...part, voiced, widths: [200, 150, 250], hiss, ...lasting(burst), isSudden: true },
    ...(breath > 0 ? [{ ...SILENT, breath: BREATH, widths: [200, 130, 200] as const, ...lasting(breath) }] : []),
  ];
}

function affricate([closure, voiced, ms, hiss]: Affricate): Segment[] {
  const [shut] = stop(closure, TABLES.stops[closure] as Stop);
  const formants = [300, 1800, 2700] as const;
  const release = { ...SILENT, formants, voiced, hiss, seconds: ms / 1000, least: 0.04, rank: RANKS.fricative };
  return [shut as Segment, { ...release, isSudden: true }];
}

/** The segments of each sound, by the letter that stands for it. */
export const PHONES: ReadonlyMap<string, readonly Segment[]> = new Map([
  ...Object.entries(TABLES.vowels).map(([letter, row]) => [letter, vowel(row)] as const),
  ...Object.entries(TABLES.consonants).map(([letter, row]) => [letter, consonant(letter, row)] as const),
  ...Object.entries(TABLES.stops).map(([letter, row]) => [letter, stop(letter, row)] as const),
  ...Object.entries(TABLES.affricates).map(([letter, row]) => [letter, affricate(row)] as const),
  ['h', [{ ...SILENT, breath: BREATH * 1.2, widths: [180, 120, 180] as const, seconds: 0.07, least: 0.045 }]] as const,
]);

/** A mouth at rest, without sound. */
export function rest(seconds: number): Segment {
  return { ...SILENT, seconds, least: seconds };
}
