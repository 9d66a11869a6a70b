import type { ScannedText, Word } from './word-scan.ts';

/** How a turn sounds; decides how the answer opens. */
export type Mood = 'plain' | 'warm' | 'tender' | 'guarded' | 'tense' | 'playful';

/** What a turn wants, as the name of a bank of answers, and the kind of question that may follow the answer. */
export interface Intent {
  name: string;
  mood: Mood;
  hook: 'ask' | 'offer' | 'comfort' | 'challenge' | 'danger';
}

/** What was counted over the words of a turn. */
interface Counts {
  hostile: number;
  foreign: number;
  moods: Map<string, number>;
  self: boolean;
  other: boolean;
  or: boolean;
  story: boolean;
  proper: boolean;
  learning: boolean;
  opinion: boolean;
}

const MOODS: Record<string, Mood> = {
  greeting: 'warm',
  thanks: 'warm',
  happy: 'warm',
  loving: 'warm',
  name: 'warm',
  invite: 'warm',
  sad: 'tender',
  tired: 'tender',
  apology: 'tender',
  farewell: 'tender',
  silence: 'tender',
  hostile: 'guarded',
  refuse: 'guarded',
  afraid: 'tense',
  playful: 'playful',
  story: 'playful',
};
const HOOKS: Record<string, Intent['hook']> = {
  sad: 'comfort',
  tired: 'comfort',
  silence: 'comfort',
  hostile: 'challenge',
  afraid: 'danger',
  request: 'offer',
  invite: 'offer',
  how: 'offer',
  story: 'offer',
  fact: 'offer',
  agree: 'offer',
  greeting: 'ask',
};
/** In words: a longer turn says more than a greeting or thanks. */
const SHORT = 8;
const SELF = new Set(['i', "i'm", "i've", 'my', 'me', 'im']);
const OTHER = new Set(['you', 'your', "you're", 'u']);

/** What the turn wants. `named`: whether somebody gives their name in it. */
export function findIntent(scan: ScannedText, named: boolean): Intent {
  const counts = count(scan.words);
  const name = intentName(scan, counts, named);
  const mood = MOODS[name] ?? moodOf(counts);
  return { name, mood, hook: HOOKS[name] ?? hookOf(mood) };
}

function intentName(scan: ScannedText, counts: Counts, named: boolean): string {
  const { words } = scan;
  if (words.length === 0) return 'silence';
  if (isForeign(scan, counts)) return 'foreign';
  if (counts.hostile > 1 || (counts.hostile > 0 && counts.other && !scan.question))
    return 'hostile';
  if (named && words.length < 12) return 'name';
  return (
    courtesy(scan) ??
    (scan.question ? undefined : feeling(counts)) ??
    question(scan, counts) ??
    wish(scan, counts) ??
    feeling(counts) ??
    remark(scan)
  );
}

function isForeign(scan: ScannedText, counts: Counts): boolean {
  const letters = scan.words.reduce((sum, word) => sum + word.raw.length, 0);
  return scan.foreignLetters * 3 > letters || counts.foreign * 3 > scan.words.length;
}

function courtesy({ words, question: asks }: ScannedText): string | undefined {
  if (words.length > SHORT) return undefined;
  const [first, second] = words;
  if (
    asks &&
    words.some((word) => word.lower === 'how') &&
    words.some((word) => OTHER.has(word.lower))
  )
    return 'self';
  if (asks) return undefined;
  return first?.entry?.intent ?? (words.length < 5 ? second?.entry?.intent : undefined);
}

function feeling({ moods, self }: Counts): string | undefined {
  for (const [mood, times] of moods) {
    if (times > 1 || self) return mood;
  }
  return undefined;
}

function question(scan: ScannedText, counts: Counts): string | undefined {
  const asked = scan.words.find((word) => word.entry?.question && (word.opens || scan.question));
  const auxiliary = scan.words.find((word) => word.opens && word.entry?.auxiliary);
  if (!scan.question && !asked?.opens) return undefined;
  if (auxiliary && scan.words.some((word) => word.entry?.request)) return 'request';
  if (counts.or) return 'choice';
  if (counts.opinion && counts.other) return 'opinion';
  if (asked && isFact(asked, counts)) return 'fact';
  if (!asked) return 'yesno';
  if (asked.lower.startsWith('who')) return 'who';
  return asked.lower === 'which' ? 'choice' : asked.lower;
}

function isFact(asked: Word, counts: Counts): boolean {
  if (counts.other || counts.self || asked.lower === 'why' || asked.lower === 'how') return false;
  return counts.learning || counts.proper;
}

function wish({ words }: ScannedText, counts: Counts): string | undefined {
  const [first, second] = words;
  const requested = words.some((word) => word.entry?.request);
  if (counts.story && requested) return 'story';
  if (first?.entry?.invite) return 'invite';
  if (first?.entry?.request || second?.entry?.request) return 'request';
  return requested && words.some((word) => word.lower === 'please') ? 'request' : undefined;
}

function remark({ words, narrated }: ScannedText): string {
  const acts = words.some((word) => word.entry?.action);
  if (narrated && acts) return 'action';
  if (words.length < 3) return 'terse';
  const self = words[0]?.lower === 'i' && words[1]?.entry?.action !== undefined;
  return self ? 'action' : 'statement';
}

function moodOf(counts: Counts): Mood {
  const [strongest] = counts.moods.keys();
  return strongest === undefined ? 'plain' : (MOODS[strongest] ?? 'plain');
}

function hookOf(mood: Mood): Intent['hook'] {
  return mood === 'tender' ? 'comfort' : 'ask';
}

function count(words: readonly Word[]): Counts {
  const counts: Counts = {
    hostile: 0,
    foreign: 0,
    moods: new Map(),
    self: false,
    other: false,
    or: false,
    story: false,
    proper: false,
    learning: false,
    opinion: false,
  };
  for (const word of words) countWord(counts, word);
  return counts;
}

function countWord(counts: Counts, word: Word): void {
  const { entry, lower } = word;
  if (SELF.has(lower)) counts.self = true;
  if (OTHER.has(lower)) counts.other = true;
  if (lower === 'or') counts.or = true;
  if (lower === 'story' || lower === 'tale') counts.story = true;
  if (word.capital && !word.opens && lower !== 'i') counts.proper = true;
  if (!entry) return;
  if (entry.hostile) counts.hostile += 1;
  if (entry.foreign !== undefined && !entry.stop) counts.foreign += 1;
  if (entry.opinion) counts.opinion = true;
  if (entry.domain === 'learning') counts.learning = true;
  if (entry.mood !== undefined)
    counts.moods.set(entry.mood, (counts.moods.get(entry.mood) ?? 0) + 1);
}
