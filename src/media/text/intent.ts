import { countTurn, type TurnCounts } from './turn-counts.ts';
import type { ScannedText, Word } from './word-scan.ts';

/** How a turn sounds; decides how the answer opens. */
export type Mood = 'plain' | 'warm' | 'tender' | 'guarded' | 'tense' | 'playful';

/** What a turn wants, as the name of a bank of answers, and the kind of question that may follow the answer. */
export interface Intent {
  name: string;
  mood: Mood;
  hook: 'ask' | 'offer' | 'comfort' | 'challenge' | 'danger' | 'greet' | 'joy' | 'part' | 'verse' | 'answered';
}

/** Intents by the mood that they set. */
const MOODS = byIntent<Mood>({
  warm: 'greeting thanks happy loving name invite poem farewell silence',
  tender: 'sad tired apology',
  guarded: 'hostile',
  tense: 'afraid',
  playful: 'playful wordless story',
});

/** Intents by the kind of question that follows their answer. */
const HOOKS = byIntent<Intent['hook']>({
  greet: 'greeting self name wordless',
  joy: 'happy',
  part: 'farewell',
  verse: 'poem',
  comfort: 'sad tired silence',
  challenge: 'hostile',
  danger: 'afraid',
  offer: 'request invite how story agree',
  answered: 'fact',
});

function byIntent<Value extends string>(lists: Partial<Record<Value, string>>): ReadonlyMap<string, Value> {
  const entries = Object.entries<string | undefined>(lists);
  return new Map(entries.flatMap(([value, names = '']) => names.split(' ').map((name) => [name, value as Value])));
}

/** In words: a longer turn says more than a greeting or thanks. */
const SHORT = 8;

/** What the turn wants. `named`: whether somebody gives their name in it. */
export function findIntent(scan: ScannedText, named: boolean): Intent {
  const counts = countTurn(scan.words);
  const name = intentName(scan, counts, named);
  const mood = MOODS.get(name) ?? (scan.question && !counts.self ? 'plain' : moodOf(counts));
  return { name, mood, hook: HOOKS.get(name) ?? hookOf(mood, scan.question) };
}

function hookOf(mood: Mood, question: boolean): Intent['hook'] {
  if (mood === 'tender') return 'comfort';
  return question ? 'answered' : 'ask';
}

function intentName(scan: ScannedText, counts: TurnCounts, named: boolean): string {
  const { words } = scan;
  if (words.length === 0) return scan.marked ? 'wordless' : 'silence';
  if (isForeign(scan, counts)) return 'foreign';
  if (isHostile(scan, counts)) return 'hostile';
  if (named && words.length < 12) return 'name';
  if (counts.telling && counts.requested) return counts.telling;
  if (scan.narrated && !scan.question && words.some((word) => word.entry?.action)) return 'action';
  return (
    courtesy(scan) ??
    (scan.question ? undefined : feeling(counts)) ??
    question(scan, counts) ??
    wish(scan, counts) ??
    feeling(counts) ??
    remark(scan, counts)
  );
}

function isHostile({ question: asks }: ScannedText, { hostile, other }: TurnCounts): boolean {
  return hostile > 1 || (hostile > 0 && other && !asks);
}

function isForeign(scan: ScannedText, counts: TurnCounts): boolean {
  const letters = scan.words.reduce((sum, word) => sum + word.raw.length, 0);
  return scan.foreignLetters * 3 > letters || counts.foreign * 3 > scan.words.length;
}

function courtesy({ words, question: asks }: ScannedText): string | undefined {
  if (words.length > SHORT) return undefined;
  const [first, second] = words;
  if (asks) return asksAfterYou(words) ? 'self' : undefined;
  return first?.entry?.intent ?? (words.length < 5 ? second?.entry?.intent : undefined);
}

/** `How are you`, `how have you been`, `how is it going`. */
function asksAfterYou(words: readonly Word[]): boolean {
  const at = words.findIndex((word) => word.lower === 'how' || word.lower === "how's");
  if (at === -1) return false;
  const next = words[at]?.lower === 'how' ? (words[at + 1]?.lower ?? '') : 'is';
  const of = words[words[at]?.lower === 'how' ? at + 2 : at + 1]?.lower ?? '';
  return ['are', 'have', 'is', 'was', 'do'].includes(next) && ['you', 'it', 'your', 'things', 'life'].includes(of);
}

function feeling({ moods, self }: TurnCounts): string | undefined {
  for (const [mood, times] of moods) {
    if (times > 1 || self) return mood;
  }
  return undefined;
}

function question(scan: ScannedText, counts: TurnCounts): string | undefined {
  const { words } = scan;
  const asked = words.find((word) => word.entry?.question && (word.opens || scan.question));
  if (!scan.question && !asked?.opens) return undefined;
  if (asksForWork(words, counts)) return 'request';
  if (counts.price) return 'price';
  if (counts.or) return 'choice';
  if (counts.opinion && counts.other) return 'opinion';
  if (counts.past && counts.other) return 'personal';
  if (asked && isFact(asked, counts)) return 'fact';
  if (!asked) return 'yesno';
  const [word = ''] = asked.lower.split("'");
  if (word.startsWith('who')) return 'who';
  return word === 'which' ? 'choice' : word;
}

/** `Can you …`, `would you …` and a verb of doing. */
function asksForWork(words: readonly Word[], { requested, other }: TurnCounts): boolean {
  if (!requested || !other) return false;
  return words.some((word, at) => word.opens && word.entry?.auxiliary && words[at + 1]?.entry?.cue === 'other');
}

function isFact(asked: Word, counts: TurnCounts): boolean {
  if (counts.other || counts.self || asked.lower === 'why' || asked.lower === 'how') return false;
  return counts.learning || counts.proper;
}

function wish({ words }: ScannedText, { requested }: TurnCounts): string | undefined {
  const [first, second] = words;
  if (first?.entry?.invite) return 'invite';
  if (first?.entry?.request || second?.entry?.request) return 'request';
  return requested && words.some((word) => word.lower === 'please') ? 'request' : undefined;
}

function remark({ words }: ScannedText, { moods }: TurnCounts): string {
  if (moods.has('afraid')) return 'afraid';
  if (words.length < 3) return 'terse';
  const self = words[0]?.lower === 'i' && words[1]?.entry?.action !== undefined;
  return self ? 'action' : 'statement';
}

function moodOf(counts: TurnCounts): Mood {
  const [strongest] = counts.moods.keys();
  return strongest === undefined ? 'plain' : (MOODS.get(strongest) ?? 'plain');
}
