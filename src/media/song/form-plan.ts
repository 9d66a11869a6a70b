import type { Syllable } from '../speech/syllables.ts';
import { fitSections, type Section } from './fit-sections.ts';
import { type LyricSection, readSections, type SectionKind } from './lyric-sections.ts';

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

/** A section as it is played. */
export interface PlayedSection {
  kind: SectionKind;
  /** The first of its bars, and how many there are. */
  from: number;
  bars: number;
  /** Its lines as they were written. */
  texts: string[];
}

export interface SongForm {
  sections: PlayedSection[];
  phrases: Phrase[];
  /** In the order in which they are played. */
  bars: FormBar[];
}

/** Bars that a section has where there is room for it. */
const FULL: Record<SectionKind, number> = {
  first: 1,
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
  first: 1,
  intro: 4,
  verse: 4,
  'pre-chorus': 2,
  chorus: 4,
  bridge: 4,
  outro: 2,
  last: 1,
};
/** Phrases give up bars in this order while the song sounds more than it may. */
const GIVE_WAY: [SectionKind, number][] = [
  ['bridge', 2],
  ['intro', 2],
  ['outro', 1],
  ['intro', 1],
  ['pre-chorus', 1],
  ['bridge', 1],
  ['verse', 2],
  ['chorus', 2],
  ['verse', 1],
];
const PLAIN_FORM: SectionKind[] = ['intro', 'verse', 'chorus', 'verse', 'chorus', 'bridge', 'chorus', 'outro'];

/**
 * Plans `bars` bars from the sections of the lyrics: an introduction that begins with a bar of its own, the
 * sections in their order, a last bar. No more than `mostSounded` different bars are asked for; all else is played again.
 */
export function planForm(lyrics: string | null, bars: number, mostSounded: number): SongForm {
  const sections = fitSections(wantedSections(lyrics), bars - 2);
  const single = (kind: SectionKind): Section => ({ ...unsung(kind), bars: 1 });
  const order = [single('first'), ...sections, single('last')];
  const phrases = choosePhrases(order, mostSounded);
  return {
    sections: placeSections(order),
    phrases,
    bars: order.flatMap((section) => playSection(section, phrases)),
  };
}

function placeSections(order: readonly Section[]): PlayedSection[] {
  let at = 0;
  return order.map(({ kind, bars, texts }) => {
    const from = at;
    at += bars;
    return { kind, from, bars, texts };
  });
}

function unsung(kind: SectionKind): LyricSection {
  return { kind, lines: [], texts: [] };
}

function wantedSections(lyrics: string | null): Section[] {
  const written = lyrics === null ? [] : readSections(lyrics);
  const sections: LyricSection[] = written.length > 0 ? written : PLAIN_FORM.map(unsung);
  const framed = [...sections];
  if (framed[0]?.kind !== 'intro') framed.unshift(unsung('intro'));
  if (framed.at(-1)?.kind !== 'outro') framed.push(unsung('outro'));
  return framed.map((section) => ({ ...section, bars: FULL[section.kind] }));
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

/** A section goes round its phrase and ends on the phrase's last bar, which leads on; an outro without words goes back to the introduction. */
function playSection({ kind, bars }: Section, phrases: Phrase[]): FormBar[] {
  const own = phrases.findIndex((phrase) => phrase.kind === kind);
  const phrase = own < 0 ? phrases.findIndex((one) => one.kind === 'intro') : own;
  const length = phrases[phrase]?.bars ?? 1;
  return Array.from({ length: bars }, (_, i) => ({
    phrase,
    bar: i === bars - 1 ? length - 1 : i % length,
  }));
}
