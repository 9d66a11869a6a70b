import { findIntent, type Intent } from './intent.ts';
import type { Lexicon } from './lexicon.ts';
import { findTopic, type Topic } from './topic.ts';
import { type ScannedText, scanWords, type Word } from './word-scan.ts';

/** What the last turn says, as far as an answer needs it. */
export interface TurnReading {
  intent: Intent;
  topic: Topic | undefined;
  /** What the topic, or else the whole turn, belongs to: `family`. */
  domain: string | undefined;
  /** What the writer does in it: `sit`. */
  action: string | undefined;
  /** The name that the writer gives. */
  name: string | undefined;
  /** The language of a turn that is not in English, where it is known. */
  language: string | undefined;
  words: readonly Word[];
}

/** Reads a turn; `ignored` are names that are no topic, in lower case. */
export function readTurn(text: string, lexicon: Lexicon, ignored: ReadonlySet<string>): TurnReading {
  const scan = scanWords(text, lexicon);
  const name = givenName(scan.words);
  const intent = findIntent(scan, name !== undefined);
  const isTalk = intent.name !== 'foreign' && scan.words.length > 0;
  const known = name === undefined ? ignored : new Set([...ignored, name.toLowerCase()]);
  const topic = isTalk ? findTopic(scan.words, known, focusOf(scan)) : undefined;
  return {
    intent,
    topic,
    domain: topic?.domain ?? mostFrequent(scan.words, 'domain'),
    action: actionOf(scan),
    name,
    language: intent.name === 'foreign' ? mostFrequent(scan.words, 'foreign') : undefined,
    words: scan.words,
  };
}

/** The name in `my name is …`, `call me …`, or in `I'm …` and `I am …` where a capital follows and nothing more. */
export function givenName(words: readonly Word[]): string | undefined {
  for (let at = 0; at + 1 < words.length; at += 1) {
    const from = introductionEnd(words, at);
    const word = words[from];
    if (from === 0 || !word || word.first || word.raw.length > 24) continue;
    const plain = words[from - 1]?.lower;
    const alone = words[from + 1] === undefined || words[from + 1]?.first === true;
    const certain = plain === 'is' || plain === 'me';
    if (word.entry?.stop || word.entry?.mood || !(word.capital || certain)) continue;
    if (certain || (alone && !word.entry)) return capitalised(word.raw);
  }
  return undefined;
}

/** Where the name would stand, or 0. */
function introductionEnd(words: readonly Word[], at: number): number {
  const next = words[at + 1]?.lower;
  switch (words[at]?.lower) {
    case "i'm":
    case 'im':
      return at + 1;
    case 'i':
      return next === 'am' ? at + 2 : 0;
    case 'call':
      return next === 'me' ? at + 2 : 0;
    case 'name':
      return next === 'is' && words[at - 1]?.lower === 'my' ? at + 2 : 0;
    default:
      return 0;
  }
}

/** What most words of a text belong to. */
export function mostFrequent(
  words: readonly Word[],
  group: 'action' | 'domain' | 'foreign' | 'place' | 'time' | 'weather' | 'tone',
): string | undefined {
  let best: string | undefined;
  let most = 0;
  const counts = new Map<string, number>();
  for (const { entry } of words) {
    const name = entry?.[group];
    if (name === undefined) continue;
    const times = (counts.get(name) ?? 0) + 1;
    counts.set(name, times);
    if (times <= most) continue;
    best = name;
    most = times;
  }
  return best;
}

/** What is asked at the end matters more than what led up to it. */
function focusOf({ words, question }: ScannedText): number {
  return question ? words.findLastIndex((word) => word.opens) : words.length;
}

/** Only what is narrated, or done by an `I` at the beginning, is done. */
function actionOf({ words, narrated }: ScannedText): string | undefined {
  if (narrated) return mostFrequent(words, 'action');
  return words[0]?.lower === 'i' ? words[1]?.entry?.action : undefined;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
