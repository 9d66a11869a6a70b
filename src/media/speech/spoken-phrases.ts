import { readSyllables, type Syllable } from './syllables.ts';

/** What makes one speaker sound unlike another. */
export interface Voice {
  /** MIDI note in the middle of its range. */
  note: number;
  /** How high the resonances of its mouth lie, beside a man's. */
  mouth: number;
  /** How far its pitch moves, and how long its syllables last, as factors. */
  liveliness: number;
  pace: number;
}

/** A syllable as it is spoken; times in seconds. */
export interface SpokenSyllable {
  at: number;
  length: number;
  syllable: Syllable;
  /** Semitones off the middle of the voice, at its beginning and its end. */
  from: number;
  to: number;
  loud: number;
}

/** What is spoken in one breath, with the silence that follows it. */
export interface SpokenPhrase {
  seconds: number;
  syllables: SpokenSyllable[];
}

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const BREATH = /([.?!,;:…。？！、，；\n–—]+|(?<=\s)-+(?=\s))/u;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}'’]+/u;
/** Of several marks the first of these counts: its silence in seconds, and the semitones to which a phrase goes at its end. */
const MARKS: [RegExp, pause: number, ending: number][] = [
  [/[?？]/, 0.46, 6],
  [/[!！]/, 0.44, -3],
  [/[.。…]/, 0.44, -4],
  [/\n/, 0.4, -4],
  [/[;:；]/, 0.28, -0.5],
  [/./, 0.2, 1],
];
const AT_THE_END = [undefined, 0.1, -2.5] as const;
const LEAD_IN = 0.06;
/** Checkers doubt a file of fewer than ten frames. */
const NOTHING_SAID = 0.4;
const SYLLABLE_SECONDS = 0.23;
/** Words of more syllables are spoken faster, and the end of a phrase slower. */
const PER_SYLLABLE = 0.92;
const FASTEST = 0.6;
const FINAL_LENGTHENING = 1.35;
const BETWEEN = 0.02;
const ACCENT = 2.2;
/** The pitch sinks through a phrase by so many semitones, and turns in its last part. */
const SINKING = 2.8;
const TURN = 0.72;

/** Breaks a text at its marks and gives every syllable its time and its melody; the same text is always spoken the same. */
export function phrasesOf(text: string, voice: Voice): SpokenPhrase[] {
  const parts = text.replace(/\d/g, (digit) => ` ${DIGITS[Number(digit)]} `).split(BREATH);
  const phrases: SpokenPhrase[] = [{ seconds: LEAD_IN, syllables: [] }];
  for (let i = 0; i < parts.length; i += 2) {
    const words = (parts[i] ?? '').split(BETWEEN_WORDS).map(readSyllables);
    const [, pause, ending] = MARKS.find(([mark]) => mark.test(parts[i + 1] ?? '')) ?? AT_THE_END;
    const spoken = words.filter((word) => word.length > 0);
    if (spoken.length > 0) phrases.push(speakPhrase(spoken, { voice, pause, ending }));
  }
  return phrases.length > 1 ? phrases : [{ seconds: NOTHING_SAID, syllables: [] }];
}

function speakPhrase(words: Syllable[][], how: { voice: Voice; pause: number; ending: number }): SpokenPhrase {
  const { voice, pause, ending } = how;
  const count = words.reduce((sum, word) => sum + word.length, 0);
  const pitchAt = (place: number) => {
    const turn = Math.max(0, (place / count - TURN) / (1 - TURN));
    return voice.liveliness * (SINKING * (0.5 - place / count) * (1 - turn) + ending * turn);
  };
  let [at, place] = [0, 0];
  const syllables = words.flatMap((word) => {
    const quick = Math.max(FASTEST, PER_SYLLABLE ** (word.length - 1));
    const spoken = word.map((syllable, i) => {
      const last = place === count - 1 ? FINAL_LENGTHENING : 1;
      const length = SYLLABLE_SECONDS * voice.pace * quick * last;
      const isAccented = i === 0 && count > 1 && word.length > 1;
      const from = pitchAt(place) + (isAccented ? ACCENT * voice.liveliness : 0);
      const one = { at, length, syllable, from, to: pitchAt(place + 1), loud: isAccented ? 1.15 : 1 };
      [at, place] = [at + length, place + 1];
      return one;
    });
    at += BETWEEN;
    return spoken;
  });
  return { seconds: at + pause, syllables };
}
