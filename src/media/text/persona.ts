import type { Lexicon } from './lexicon.ts';
import { mostFrequent } from './turn-reading.ts';
import { scanWords, type Word } from './word-scan.ts';

/** Who answers, and where. */
export interface Persona {
  /** As narration calls them (`Mira`, `the blacksmith`); absent where nobody is described: then they say I. */
  name: string | undefined;
  /** The words of the name in lower case: calling somebody is not talking about them. */
  names: ReadonlySet<string>;
  pronoun: 'she' | 'he' | 'they' | 'I';
  /** A voice without hands or a face. */
  bodiless: boolean;
  tone: string | undefined;
  place: string | undefined;
  time: string | undefined;
  weather: string | undefined;
}

const TITLES = new Set(
  'captain commander doctor dr lady lord sir dame queen king prince princess professor sister brother father mother master madam mr mrs ms aunt uncle'.split(
    ' ',
  ),
);
const NAMING = new Set(['named', 'called', 'name']);

/** Reads who is described by the system turns and the context, joined. */
export function readPersona(text: string, lexicon: Lexicon): Persona {
  const { words } = scanWords(text, lexicon);
  const bodiless = words.slice(0, 16).some((word) => word.entry?.bodiless);
  const name = properName(words) ?? (bodiless ? undefined : roleName(words));
  return {
    name,
    names: new Set(name?.toLowerCase().split(' ')),
    pronoun: name === undefined ? 'I' : pronounOf(words, name),
    bodiless,
    tone: mostFrequent(words, 'tone'),
    place: mostFrequent(words, 'place'),
    time: mostFrequent(words, 'time'),
    weather: mostFrequent(words, 'weather'),
  };
}

/** The name after `You are`, `named`, `Name:`, `play` or `as`. */
function properName(words: readonly Word[]): string | undefined {
  for (let at = 0; at < words.length; at += 1) {
    const start = nameStart(words, at);
    if (start === 0) continue;
    const run = capitalRun(words, start);
    if (run.length > 0) return shortName(run);
  }
  return undefined;
}

function nameStart(words: readonly Word[], at: number): number {
  const lower = words[at]?.lower;
  const next = words[at + 1]?.lower;
  if (lower === 'you' && next === 'are') return at + 2;
  if (lower === "you're" || lower === 'play' || lower === 'as') return at + 1;
  if (!NAMING.has(lower ?? '')) return 0;
  return next === 'is' ? at + 2 : at + 1;
}

function capitalRun(words: readonly Word[], start: number): string[] {
  const run: string[] = [];
  for (let at = start; at < words.length && run.length < 4; at += 1) {
    const word = words[at];
    const named = word?.capital && !word.entry?.stop && word.raw.length <= 24;
    if (!word || !named || (at > start && word.first)) break;
    run.push(word.raw);
  }
  return run;
}

/** `Captain Elena Vasquez` is `Captain Vasquez`, `Mira Voss` is `Mira`. */
function shortName(run: readonly string[]): string {
  const [first = ''] = run;
  if (!TITLES.has(first.toLowerCase())) return first === first.toUpperCase() ? run.join(' ') : first;
  return run.length > 1 ? `${first} ${run.at(-1)}` : `the ${first.toLowerCase()}`;
}

/** `You are a grumpy old blacksmith in a village` is `the blacksmith`. */
function roleName(words: readonly Word[]): string | undefined {
  const at = words.findIndex((word, index) => word.lower === 'you' && words[index + 1]?.lower === 'are');
  const article = words[at + 2]?.lower;
  if (at === -1 || !(article === 'a' || article === 'an' || article === 'the')) return undefined;
  let role: string | undefined;
  for (const word of words.slice(at + 3, at + 8)) {
    if (word.first || word.raw.length > 24 || (word.entry?.stop && !word.entry.adjective)) break;
    role = word.lower;
  }
  return role && `the ${role}`;
}

function pronounOf(words: readonly Word[], name: string): Persona['pronoun'] {
  let balance = /a$/.test(name) ? 0.5 : 0;
  for (const { entry } of words) {
    if (entry?.feminine) balance += 1;
    if (entry?.masculine) balance -= 1;
  }
  if (balance === 0) return 'they';
  return balance > 0 ? 'she' : 'he';
}
