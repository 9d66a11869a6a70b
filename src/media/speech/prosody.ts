import { articulate } from './articulation.ts';
import { PHONES, rest, type Segment, type TimedSegment } from './phones.ts';
import type { SpokenPhrase } from './pronounce.ts';
import type { Voice } from './voices.ts';

/** One sound of a word. */
interface Sound {
  letter: string;
  stress: Stress;
}

type Stress = 'main' | 'side' | 'none';

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
const FINAL_LENGTHENING = 1.35;
/** How much of what it can be shortened by stays of a vowel. */
const VOWEL_SHARE: Record<Stress, number> = { main: 0.9, side: 0.6, none: 0.45 };
const CONSONANT_SHARE: Record<Stress, number> = { main: 0.9, side: 0.75, none: 0.65 };
/** Words of more vowels are spoken faster. */
const PER_VOWEL = 0.92;
/** A vowel before these is shorter. */
const VOICELESS = 'ptkfTsSC';
const LOUDNESS: Record<Stress, number> = { main: 1.12, side: 1, none: 0.86 };
const ACCENT = 1.14;
const STRESSES: Record<string, Stress> = { "'": 'main', ',': 'side' };

interface Place {
  /** 0 at the beginning of the phrase, 1 at its end. */
  share: number;
  ending: number;
  accent: boolean;
}

/** Gives every sound its time and its melody; the same text is always spoken the same. */
export function timePhrases(phrases: SpokenPhrase[], voice: Voice): TimedSegment[] {
  const timed: TimedSegment[] = [pause(LEAD_IN, voice)];
  for (const { words, mark } of phrases) {
    const spelled = words.map(readSounds);
    const count = spelled.reduce((sum, word) => sum + word.length, 0);
    const ending = ENDINGS[mark] ?? FALL;
    const spoken: TimedSegment[] = [];
    let before = 0;
    for (const word of spelled) {
      const start = before;
      spoken.push(...timeWord(word, voice, (at) => ({ share: (start + at) / count, ending })));
      before += word.length;
    }
    lengthenEnd(spoken);
    timed.push(...spoken, pause(PAUSES[mark] ?? 0.2, voice));
  }
  return timed;
}

/** A word that tells of no stress has it on its first vowel, unless it is very short. */
function readSounds(word: string): Sound[] {
  const sounds: Sound[] = [];
  let stress: Stress = 'none';
  for (const letter of word) {
    const mark = STRESSES[letter];
    if (mark) stress = mark;
    if (mark || !PHONES.has(letter)) continue;
    sounds.push({ letter, stress });
    if (isVowel(letter)) stress = 'none';
  }
  const first = sounds.find(({ letter }) => isVowel(letter));
  if (first && word.length > 3 && !/[',@]/.test(word)) first.stress = 'main';
  return sounds;
}

function isVowel(letter: string): boolean {
  return PHONES.get(letter)?.[0]?.isVowel === true;
}

function timeWord(word: Sound[], voice: Voice, placeAt: (at: number) => Omit<Place, 'accent'>): TimedSegment[] {
  const pace = voice.pace * PER_VOWEL ** Math.max(0, word.filter(({ letter }) => isVowel(letter)).length - 1);
  return word.flatMap(({ letter, stress }, i) => {
    const accent = stress === 'main' && isVowel(letter);
    const from = pitchAt({ ...placeAt(i), accent }, voice);
    const to = pitchAt({ ...placeAt(i + 1), accent: false }, voice);
    const segments = articulate(letter, { before: word[i - 1]?.letter, after: word[i + 1]?.letter });
    return segments.map((segment, part) => ({
      segment,
      seconds: secondsOf(segment, { stress, after: word[i + 1]?.letter ?? '', pace }),
      pitch: [from + ((to - from) * part) / segments.length, from + ((to - from) * (part + 1)) / segments.length] as [
        number,
        number,
      ],
      stress: LOUDNESS[stress],
    }));
  });
}

function secondsOf(
  { seconds, least, isVowel: vowel }: Segment,
  { stress, after, pace }: { stress: Stress; after: string; pace: number },
): number {
  const share = (vowel ? VOWEL_SHARE : CONSONANT_SHARE)[stress];
  const cut = vowel && after !== '' && VOICELESS.includes(after) ? 0.75 : 1;
  return (least + (seconds - least) * share * cut) * pace;
}

/** Sinks slowly through the phrase, leaps a little on accents, and turns in its last part. */
function pitchAt({ share, ending, accent }: Place, voice: Voice): number {
  const sinking = 1.1 - 0.17 * share;
  const turn = Math.max(0, (share - TURN) / (1 - TURN));
  const melody = sinking * (accent ? ACCENT : 1) * (1 + (ending - 1) * turn);
  return voice.pitch * (1 + (melody - 1) * voice.liveliness);
}

/** The last vowel of a phrase and what comes after it. */
function lengthenEnd(timed: TimedSegment[]): void {
  const last = timed.findLastIndex(({ segment }) => segment.isVowel);
  for (const spoken of timed.slice(Math.max(0, last))) spoken.seconds *= FINAL_LENGTHENING;
}

function pause(seconds: number, voice: Voice): TimedSegment {
  return { segment: rest(seconds), seconds, pitch: [voice.pitch, voice.pitch], stress: 1 };
}
