import type { Word } from './word-scan.ts';

/** What was counted over the words of a turn. */
export interface TurnCounts {
  hostile: number;
  foreign: number;
  moods: Map<string, number>;
  self: boolean;
  other: boolean;
  or: boolean;
  /** What is to be told, where one is named. */
  telling: 'story' | 'poem' | undefined;
  requested: boolean;
  price: boolean;
  past: boolean;
  proper: boolean;
  learning: boolean;
  opinion: boolean;
}

/** How many words a `not` denies, itself included: whoever says `I am not afraid` is not. */
const NEGATED = 4;
/** Counts what the words of a turn tell about it. */
export function countTurn(words: readonly Word[]): TurnCounts {
  const counts: TurnCounts = {
    hostile: 0,
    foreign: 0,
    moods: new Map(),
    self: false,
    other: false,
    or: false,
    telling: undefined,
    requested: false,
    price: false,
    past: false,
    proper: false,
    learning: false,
    opinion: false,
  };
  let affirmedFrom = 0;
  for (const [at, word] of words.entries()) {
    if (word.entry?.cue === 'not') affirmedFrom = at + NEGATED;
    countWord(counts, word, at >= affirmedFrom);
  }
  return counts;
}

function countWord(counts: TurnCounts, { entry, lower, capital, opens }: Word, affirmed: boolean): void {
  if (capital && !opens && lower !== 'i') counts.proper = true;
  if (!entry) return;
  if (entry.cue !== undefined) countCue(counts, entry.cue);
  if (entry.hostile) counts.hostile += 1;
  if (entry.foreign !== undefined && !entry.stop) counts.foreign += 1;
  if (entry.request) counts.requested = true;
  if (entry.opinion) counts.opinion = true;
  if (entry.domain === 'learning') counts.learning = true;
  if (entry.mood === undefined || !affirmed) return;
  counts.moods.set(entry.mood, (counts.moods.get(entry.mood) ?? 0) + 1);
}

function countCue(counts: TurnCounts, cue: string): void {
  if (cue === 'story' || cue === 'poem') counts.telling ??= cue;
  else if (cue === 'self' || cue === 'other' || cue === 'or') counts[cue] = true;
  else if (cue === 'price' || cue === 'past') counts[cue] = true;
}
