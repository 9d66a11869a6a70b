import {
  type LyricSection,
  readSections,
  type SectionKind,
  type Syllable,
} from './lyric-sections.ts';

/** A run of bars that is composed and sounded once, and played wherever the form wants it. */
export interface Phrase {
  kind: SectionKind;
  bars: number;
  lines: Syllable[][];
}

/** One bar of the song: which bar of which phrase. */
export interface FormBar {
  phrase: number;
  bar: number;
}

export interface SongForm {
  phrases: Phrase[];
  /** In the order in which they are played. */
  bars: FormBar[];
}

interface Section extends LyricSection {
  bars: number;
}

/** Bars that a section has where there is room for it. */
const FULL: Record<SectionKind, number> = {
  intro: 4,
  verse: 8,
  'pre-chorus': 4,
  chorus: 8,
  bridge: 4,
  outro: 4,
  last: 1,
};
/** Different bars that a phrase has where there is room for them. */
const MOST_BARS: Record<SectionKind, number> = {
  intro: 4,
  verse: 4,
  'pre-chorus': 2,
  chorus: 4,
  bridge: 4,
  outro: 2,
  last: 1,
};
const SHORT: SectionKind[] = ['intro', 'pre-chorus', 'outro'];
/** Phrases give up bars in this order while the song sounds more than it may. */
const GIVE_WAY: [SectionKind, number][] = [
  ['bridge', 2],
  ['intro', 2],
  ['outro', 1],
  ['pre-chorus', 1],
  ['verse', 2],
  ['bridge', 1],
  ['chorus', 2],
  ['intro', 1],
  ['verse', 1],
];
const PLAIN_FORM: SectionKind[] = [
  'intro',
  'verse',
  'chorus',
  'verse',
  'chorus',
  'bridge',
  'chorus',
  'outro',
];

/**
 * Plans `bars` bars from the sections of the lyrics: an introduction, the sections in their order, a last
 * bar of its own. No more than `mostSounded` different bars are asked for; all else is played again.
 */
export function planForm(lyrics: string | null, bars: number, mostSounded: number): SongForm {
  const sections = fitSections(wantedSections(lyrics), bars - 1);
  const order: Section[] = [...sections, { kind: 'last', lines: [], bars: 1 }];
  const phrases = choosePhrases(order, mostSounded);
  return { phrases, bars: order.flatMap((section) => playSection(section, phrases)) };
}

function wantedSections(lyrics: string | null): Section[] {
  const written = lyrics === null ? [] : readSections(lyrics);
  const sections: LyricSection[] =
    written.length > 0 ? written : PLAIN_FORM.map((kind) => ({ kind, lines: [] }));
  const framed = [...sections];
  if (framed[0]?.kind !== 'intro') framed.unshift({ kind: 'intro', lines: [] });
  if (framed.at(-1)?.kind !== 'outro') framed.push({ kind: 'outro', lines: [] });
  return framed.map((section) => ({ ...section, bars: FULL[section.kind] }));
}

/** Shortens, drops or repeats sections until they fill exactly `bars` bars. */
function fitSections(wanted: Section[], bars: number): Section[] {
  const sections = wanted.map((section) => ({ ...section }));
  const tooLong = () => total(sections) > bars;
  while (tooLong() && halve(sections, 4));
  while (tooLong() && dropRepetition(sections));
  const frame = sections.filter(({ kind }) => SHORT.includes(kind));
  while (tooLong() && halve(frame, 1));
  while (tooLong() && halve(sections, 1));
  while (tooLong()) sections.splice(-2, 1);
  repeatBody(sections, bars);
  const left = bars - total(sections);
  const lengthened = left > 2 ? sections.find(({ kind }) => kind === 'chorus') : sections[0];
  const section = lengthened ?? sections[0];
  if (section) section.bars += left;
  return sections;
}

/** Leaves out the last section that has been heard before, or that a short song can do without. */
function dropRepetition(sections: Section[]): boolean {
  const dispensable = ({ kind }: Section, at: number) =>
    at < sections.length - 1 &&
    (kind === 'bridge' ||
      kind === 'pre-chorus' ||
      sections.findIndex((section) => section.kind === kind) < at);
  const at = sections.findLastIndex(dispensable);
  if (at < 0) return false;
  sections.splice(at, 1);
  return true;
}

function total(sections: Section[]): number {
  return sections.reduce((sum, section) => sum + section.bars, 0);
}

/** Halves the longest kind of section; false where none has more than `least` bars. */
function halve(sections: Section[], least: number): boolean {
  const longest = Math.max(0, ...sections.map((section) => section.bars));
  if (longest <= least) return false;
  for (const section of sections) if (section.bars === longest) section.bars = longest / 2;
  return true;
}

/** Plays verses and choruses again, before the last section, while there is room for them. */
function repeatBody(sections: Section[], bars: number): void {
  const body = sections.filter(({ kind }) => kind === 'verse' || kind === 'chorus');
  for (let i = 0; body.length > 0; i++) {
    const next = body[i % body.length];
    if (!next || total(sections) + next.bars > bars) return;
    sections.splice(-1, 0, { ...next });
  }
}

function choosePhrases(sections: Section[], mostSounded: number): Phrase[] {
  const phrases: Phrase[] = [];
  for (const { kind, bars, lines } of sections) {
    if (kind === 'outro' && lines.length === 0) continue;
    const known = phrases.find((phrase) => phrase.kind === kind);
    if (!known) phrases.push({ kind, bars: Math.min(bars, MOST_BARS[kind]), lines });
    if (known) known.bars = Math.max(known.bars, Math.min(bars, MOST_BARS[kind]));
    if (known?.lines.length === 0) known.lines = lines;
  }
  for (const [kind, bars] of GIVE_WAY) {
    const sounded = phrases.reduce((sum, phrase) => sum + phrase.bars, 0);
    const phrase = phrases.find((one) => one.kind === kind);
    if (phrase && sounded > mostSounded) phrase.bars = Math.min(phrase.bars, bars);
  }
  return phrases;
}

/**
 * A section goes round its phrase and ends on the phrase's last bar, which leads on. An outro without words
 * goes back over the introduction, from its fuller half to its first bar.
 */
function playSection({ kind, bars }: Section, phrases: Phrase[]): FormBar[] {
  const own = phrases.findIndex((phrase) => phrase.kind === kind);
  const phrase = Math.max(0, own);
  const length = phrases[phrase]?.bars ?? 1;
  const barAt = (i: number) => {
    if (own < 0) return (i + Math.floor(length / 2)) % length;
    return i === bars - 1 ? length - 1 : i % length;
  };
  return Array.from({ length: bars }, (_, i) => ({ phrase, bar: barAt(i) }));
}
