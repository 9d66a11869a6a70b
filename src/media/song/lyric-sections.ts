import { readSyllables, type Syllable } from '../speech/syllables.ts';

/** The parts that a song can have; `first` and `last` are single bars that begin and end it. */
export type SectionKind = 'first' | 'intro' | 'verse' | 'pre-chorus' | 'chorus' | 'bridge' | 'outro' | 'last';

/** What a section is like. */
interface SectionTraits {
  /** Bars where there is room for it, and the different bars among them. */
  bars: number;
  different: number;
  /** How much plays, 0 to 1, and how hard. */
  intensity: number;
  loud: number;
  chords: 'verse' | 'chorus' | 'bridge';
  /** Where the tune moves about, in degrees above the tonic. */
  centre: number;
}

export const SECTIONS: Record<SectionKind, SectionTraits> = {
  first: { bars: 1, different: 1, intensity: 0.2, loud: 0.7, chords: 'verse', centre: 2 },
  intro: { bars: 4, different: 4, intensity: 0.38, loud: 0.7, chords: 'verse', centre: 2 },
  verse: { bars: 8, different: 4, intensity: 0.6, loud: 0.76, chords: 'verse', centre: 2 },
  'pre-chorus': { bars: 4, different: 2, intensity: 0.75, loud: 0.84, chords: 'bridge', centre: 4 },
  chorus: { bars: 8, different: 4, intensity: 1, loud: 1, chords: 'chorus', centre: 5 },
  bridge: { bars: 4, different: 4, intensity: 0.5, loud: 0.72, chords: 'bridge', centre: 3 },
  outro: { bars: 4, different: 2, intensity: 0.45, loud: 0.76, chords: 'chorus', centre: 2 },
  last: { bars: 1, different: 1, intensity: 0.8, loud: 0.9, chords: 'verse', centre: 0 },
};

export interface LyricSection {
  kind: SectionKind;
  /** A list of syllables for each line; no lines where nothing is sung. */
  lines: Syllable[][];
}

const KINDS: [RegExp, SectionKind][] = [
  [/^pre.?chorus/, 'pre-chorus'],
  [/^(intro|opening)/, 'intro'],
  [/^(chorus|refrain|hook|drop)/, 'chorus'],
  [/^(bridge|break|solo|interlude|instrumental)/, 'bridge'],
  [/^(outro|end|coda|fade)/, 'outro'],
];
const MOST_SYLLABLES = 24;

/** Cuts lyrics at their section tags (rule R187); untagged lines are a verse. */
export function readSections(lyrics: string): LyricSection[] {
  const sections: LyricSection[] = [];
  for (const line of lyrics.split(/\r?\n/)) {
    const tag = tagOf(line);
    if (tag !== undefined) sections.push({ kind: kindOf(tag), lines: [] });
    const syllables = tag === undefined ? readSyllables(line).slice(0, MOST_SYLLABLES) : [];
    if (syllables.length === 0) continue;
    if (sections.length === 0) sections.push({ kind: 'verse', lines: [] });
    sections.at(-1)?.lines.push(syllables);
  }
  return sections;
}

/** What stands in the brackets of a line that holds nothing else. */
function tagOf(line: string): string | undefined {
  const bare = line.trim();
  if (!bare.startsWith('[') || bare.indexOf(']') !== bare.length - 1) return undefined;
  return bare.length > 2 ? bare.slice(1, -1).trim() : undefined;
}

function kindOf(tag: string): SectionKind {
  const name = tag.toLowerCase();
  return KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'verse';
}
