import type { Syllable } from '../speech/syllables.ts';
import { type LyricSection, readSections, SECTIONS, type SectionKind } from './lyric-sections.ts';

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

/** Phrases give up bars in this order while the song sounds more than it may; one without bars is played as the introduction. */
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

/**
 * Plans `bars` bars from the sections of the lyrics: an introduction that begins with a bar of its own, the
 * sections in their order, a last bar. No more than `mostSounded` different bars are asked for; all else is played again.
 */
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
  return framed.map((section) => ({ ...section, bars: SECTIONS[section.kind].bars }));
}

interface Section extends LyricSection {
  bars: number;
}

/** What a short song can do without, in this order; of verse and chorus only repetitions. */
const DISPENSABLE: SectionKind[] = ['bridge', 'pre-chorus', 'verse', 'chorus'];

/** Shortens, drops or repeats sections until they fill exactly `bars` bars. */
function fitSections(wanted: readonly Section[], bars: number): Section[] {
  const sections = wanted.map((section) => ({ ...section }));
  const total = () => sections.reduce((sum, section) => sum + section.bars, 0);
  const frame = sections.filter(({ kind }) => kind === 'intro' || kind === 'outro');
  const shortened = () => halve(sections, 4) || dropRepetition(sections) || halve(frame, 1) || halve(sections, 1);
  while (total() > bars && shortened());
  while (total() > bars) sections.splice(-2, 1);
  const [verse, chorus] = (['verse', 'chorus'] as const).map((kind) => sections.find((one) => one.kind === kind));
  // Round verse and chorus again, before the last section, while there is room; at the end the chorus alone.
  for (const round of [[verse, chorus], [chorus ?? verse]].map((body) => body.filter((one) => one !== undefined))) {
    const length = round.reduce((sum, section) => sum + section.bars, 0);
    while (length > 0 && total() + length <= bars) sections.splice(-1, 0, ...round.map((one) => ({ ...one })));
  }
  const left = bars - total();
  const lengthened = (left > 2 ? sections.find(({ kind }) => kind === 'chorus') : undefined) ?? sections[0];
  if (lengthened) lengthened.bars += left;
  return sections;
}

/** Leaves out one section; false where only what makes the song remains. */
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

/** Halves the longest kind of section; false where none has more than `least` bars. */
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
    if (!known) phrases.push({ kind, bars: Math.min(bars, SECTIONS[kind].different), lines });
    if (known) known.bars = Math.max(known.bars, Math.min(bars, SECTIONS[kind].different));
    if (known?.lines.length === 0) known.lines = lines;
  }
  for (const [kind, bars] of GIVE_WAY) {
    const sounded = phrases.reduce((sum, phrase) => sum + phrase.bars, 0);
    const phrase = phrases.find((one) => one.kind === kind);
    if (phrase && sounded > mostSounded) phrase.bars = Math.min(phrase.bars, bars);
  }
  return phrases.filter(({ bars }) => bars > 0);
}

/** A section goes round its phrase and ends on the phrase's last bar, which leads on; one without a phrase goes back to the introduction. */
function playSection({ kind, bars }: Section, phrases: Phrase[]): FormBar[] {
  const own = phrases.findIndex((phrase) => phrase.kind === kind);
  const phrase = own < 0 ? phrases.findIndex((one) => one.kind === 'intro') : own;
  const length = phrases[phrase]?.bars ?? 1;
  return Array.from({ length: bars }, (_, i) => ({
    phrase,
    bar: i === bars - 1 ? length - 1 : i % length,
  }));
}
