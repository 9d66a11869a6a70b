import type { LyricSection, SectionKind } from './lyric-sections.ts';

export interface Section extends LyricSection {
  bars: number;
}
const SHORT: SectionKind[] = ['intro', 'pre-chorus', 'outro'];

/** Shortens, drops or repeats sections until they fill exactly `bars` bars. */
export function fitSections(wanted: Section[], bars: number): Section[] {
  const sections = wanted.map((section) => ({ ...section }));
  const tooLong = () => total(sections) > bars;
  const frame = sections.filter(({ kind }) => SHORT.includes(kind));
  while (tooLong() && halve(sections, 4));
  while (tooLong() && halve(frame, 2));
  while (tooLong() && dropRepetition(sections));
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

/** What a short song can do without, in this order; of verse and chorus only repetitions. */
const DISPENSABLE: SectionKind[] = ['bridge', 'pre-chorus', 'verse', 'chorus'];

/** Leaves out one section; false where only what makes the song remains. */
function dropRepetition(sections: Section[]): boolean {
  for (const kind of DISPENSABLE) {
    const first = sections.findIndex((section) => section.kind === kind);
    const last = sections.findLastIndex((section) => section.kind === kind);
    const once = kind === 'verse' || kind === 'chorus';
    if (last < 0 || (once && first === last)) continue;
    sections.splice(last, 1);
    return true;
  }
  return false;
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

/** Goes round verse and chorus again, before the last section, while there is room; at the end the chorus alone. */
function repeatBody(sections: Section[], bars: number): void {
  const round = (['verse', 'chorus'] as const).flatMap(
    (kind) => sections.find((section) => section.kind === kind) ?? [],
  );
  const insertWhileRoom = (body: Section[]) => {
    while (body.length > 0 && total(sections) + total(body) <= bars) {
      sections.splice(-1, 0, ...body.map((section) => ({ ...section })));
    }
  };
  insertWhileRoom(round);
  insertWhileRoom(round.slice(-1));
}
