import { readSyllables, type Syllable } from '../speech/syllables.ts';

/** The parts that a song can have; `first` and `last` are single bars that begin and end it. */
export type SectionKind = 'first' | 'intro' | 'verse' | 'pre-chorus' | 'chorus' | 'bridge' | 'outro' | 'last';

export interface LyricSection {
  kind: SectionKind;
  /** A list of syllables for each line; no lines where nothing is sung. */
  lines: Syllable[][];
  /** The same lines as they were written. */
  texts: string[];
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
    if (tag !== undefined) sections.push({ kind: kindOf(tag), lines: [], texts: [] });
    const syllables = tag === undefined ? readSyllables(line).slice(0, MOST_SYLLABLES) : [];
    if (syllables.length === 0) continue;
    if (sections.length === 0) sections.push({ kind: 'verse', lines: [], texts: [] });
    sections.at(-1)?.lines.push(syllables);
    sections.at(-1)?.texts.push(line.trim());
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
