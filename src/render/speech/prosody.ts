import { PHONES, type Phone, rest } from './phones.ts';
import type { SpokenPhrase } from './pronounce.ts';
import type { Voice } from './voices.ts';

/** A sound with the length and the pitch at which it is spoken. */
export interface TimedPhone {
  phone: Phone;
  seconds: number;
  /** Hertz at its beginning and its end. */
  pitch: [number, number];
  /** Loudness beside other sounds of its kind. */
  stress: number;
}

/** Silence after each mark, in seconds. */
const PAUSES: Record<string, number> = {
  '': 0.1,
  ',': 0.2,
  ';': 0.28,
  ':': 0.28,
  '.': 0.44,
  '!': 0.44,
  '?': 0.46,
  '\n': 0.4,
};
/** Where the pitch of a phrase goes at its end, as a factor: a question rises, a comma hangs, a full stop falls. */
const ENDINGS: Record<string, number> = {
  '?': 1.42,
  ',': 1.06,
  ';': 0.98,
  ':': 0.98,
  '!': 0.84,
  '': 0.86,
};
const FALL = 0.8;
/** Share of a phrase after which its pitch goes to its ending. */
const TURN = 0.72;
const LEAD_IN = 0.06;
const BETWEEN_WORDS = 0.022;
const FINAL_LENGTHENING = 1.45;

interface Place {
  /** 0 at the beginning of the phrase, 1 at its end. */
  share: number;
  ending: number;
  accent: boolean;
}

/** Gives every sound its time and its melody; the same text is always spoken the same. */
export function timePhrases(phrases: SpokenPhrase[], voice: Voice): TimedPhone[] {
  const timed: TimedPhone[] = [pause(LEAD_IN, voice)];
  for (const { words, mark } of phrases) {
    const sounds = words.reduce((sum, word) => sum + word.length, 0);
    const ending = ENDINGS[mark] ?? FALL;
    let spoken = 0;
    words.forEach((word, i) => {
      if (i > 0) timed.push(pause(BETWEEN_WORDS, voice));
      timed.push(...timeWord(word, voice, (at) => ({ share: (spoken + at) / sounds, ending })));
      spoken += word.length;
    });
    lengthenEnd(timed);
    timed.push(pause(PAUSES[mark] ?? 0.2, voice));
  }
  return timed;
}

function timeWord(word: string, voice: Voice, placeAt: (at: number) => Omit<Place, 'accent'>): TimedPhone[] {
  const stressed = word.length > 3 ? word.search(/[aeiou]/) : -1;
  return Array.from(word, (letter, i) => {
    const phone = PHONES.get(letter);
    if (!phone) return pause(0.02, voice);
    const accent = i === stressed;
    return {
      phone,
      seconds: phone.seconds * voice.pace * (accent ? 1.22 : 1) * (letter === word[i - 1] ? 0.5 : 1),
      pitch: [pitchAt({ ...placeAt(i), accent }, voice), pitchAt({ ...placeAt(i + 1), accent: false }, voice)],
      stress: accent ? 1.15 : 0.92,
    };
  });
}

/** Sinks slowly through the phrase, leaps a little on accents, and turns in its last part. */
function pitchAt({ share, ending, accent }: Place, voice: Voice): number {
  const sinking = 1.1 - 0.17 * share;
  const turn = Math.max(0, (share - TURN) / (1 - TURN));
  const melody = sinking * (accent ? 1.13 : 1) * (1 + (ending - 1) * turn);
  return voice.pitch * (1 + (melody - 1) * voice.liveliness);
}

function lengthenEnd(timed: TimedPhone[]): void {
  const last = timed.findLast(({ phone }) => phone.isVowel);
  if (last) last.seconds *= FINAL_LENGTHENING;
}

function pause(seconds: number, voice: Voice): TimedPhone {
  return { phone: rest(seconds), seconds, pitch: [voice.pitch, voice.pitch], stress: 1 };
}
