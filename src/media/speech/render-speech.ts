import { writeFile } from 'node:fs/promises';
import { nextTurn } from '../../base/clock/real-globals.ts';
import { speechTag } from '../mp3/own-tag.ts';
import { encodeSound, infoFrameFor, SPEECH_FORMAT } from '../mp3/stream-format.ts';
import type { RenderedFile, RenderTools, SpeechRequest } from '../render-request.ts';
import { holdVowel, Waveforms } from './held-vowel.ts';
import { readSyllables, type Syllable } from './syllables.ts';

const ENCODED = 0.95;

export async function renderSpeech(request: SpeechRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
  const { length, pieces } = speak(request);
  const frames = await encodeSound(reporting(pieces, length, tools), SPEECH_FORMAT, tools);
  tools.onProgress(ENCODED);
  const info = infoFrameFor(frames, length, SPEECH_FORMAT);
  const tag = speechTag(request, info.length + frames.length);
  await writeFile(target, Buffer.concat([tag, info, frames]));
  tools.onProgress(1);
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: length / SPEECH_FORMAT.sampleRate,
  };
}

async function* reporting(pieces: Iterable<Int16Array>, length: number, { signal, onProgress }: RenderTools) {
  let taken = 0;
  for (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
    taken += piece.length;
    onProgress((taken / length) * ENCODED);
    await nextTurn();
  }
}

const { sampleRate } = SPEECH_FORMAT;
const VOICES: Record<SpeechRequest['voice'], Voice> = {
  aria: { note: 56, mouth: 1.17, liveliness: 1.25, pace: 0.96 },
  orion: { note: 44, mouth: 0.95, liveliness: 0.85, pace: 1.06 },
};
const TAIL_SAMPLES = 0.15 * sampleRate;
const LOUD = 0.6 * 32_767;
/** Noise at the start of a sharp syllable: `before` seconds of it precede the vowel. */
const HISS = { loud: 0.12, seconds: 0.07, before: 0.025 };

export function speak({ text, voice: name }: Pick<SpeechRequest, 'text' | 'voice'>) {
  const voice = VOICES[name];
  const phrases = phrasesOf(text, voice);
  const length = phrases.reduce((sum, phrase) => sum + samplesOf(phrase), TAIL_SAMPLES);
  const waveforms = new Waveforms();
  function* pieces(): Generator<Int16Array> {
    for (const phrase of phrases) yield sounded(phrase, voice, waveforms);
    yield new Int16Array(TAIL_SAMPLES);
  }
  return { length, pieces: pieces() };
}

function samplesOf({ seconds }: SpokenPhrase): number {
  return Math.round(seconds * sampleRate);
}

function sounded(phrase: SpokenPhrase, voice: Voice, waveforms: Waveforms): Int16Array {
  const out = new Float32Array(samplesOf(phrase));
  const mouth = { waveforms, sampleRate, mouth: voice.mouth, rise: 0.03, fall: 0.04 };
  for (const { at: begins, length, syllable, from, to, loud } of phrase.syllables) {
    const at = Math.round(begins * sampleRate);
    const pitch = voice.note + Math.round((from + to) / 2);
    const bend = (_seconds: number, share: number) => voice.note + from + (to - from) * share - pitch;
    holdVowel(out, { at, length: Math.round(length * sampleRate), pitch, loud, syllable }, { ...mouth, bend });
    if (syllable.onset === 'sharp') hiss(out, at);
  }
  const samples = new Int16Array(out.length);
  for (let i = 0; i < out.length; i++) samples[i] = (out[i] as number) * LOUD;
  return samples;
}

function hiss(out: Float32Array, at: number): void {
  const [first, length] = [Math.max(0, at - HISS.before * sampleRate), HISS.seconds * sampleRate];
  let [random, last] = [0x2545f491 ^ at, 0];
  for (let i = 0; i < length && first + i < out.length; i++) {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) | 0;
    const white = random / 0x80000000;
    const share = i / length;
    (out[first + i] as number) += (white - last) * HISS.loud * 4 * share * (1 - share);
    last = white;
  }
}

interface Voice {
  note: number;
  mouth: number;
  liveliness: number;
  pace: number;
}

interface SpokenSyllable {
  at: number;
  length: number;
  syllable: Syllable;
  from: number;
  to: number;
  loud: number;
}

interface SpokenPhrase {
  seconds: number;
  syllables: SpokenSyllable[];
}

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const BREATH = /([.?!,;:…。？！、，；\n–—]+|(?<=\s)-+(?=\s))/u;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}'’]+/u;
/** The first matching mark counts: the silence in seconds, and the final pitch change in semitones. */
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
/** Some validators reject a file of fewer than ten frames. */
const NOTHING_SAID = 0.4;
const SYLLABLE_SECONDS = 0.23;
const PER_SYLLABLE = 0.92;
const FASTEST = 0.6;
const FINAL_LENGTHENING = 1.35;
const BETWEEN = 0.02;
const ACCENT = 2.2;
const SINKING = 2.8;
const TURN = 0.72;

function phrasesOf(text: string, voice: Voice): SpokenPhrase[] {
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
