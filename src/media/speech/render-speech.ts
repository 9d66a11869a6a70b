import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { yieldToEventLoop } from '../../base/clock/real-globals.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { encodeSpeechTag } from '../mp3/id3-tag.ts';
import { encodeMp3, infoFrameFor, SPEECH_FORMAT } from '../mp3/stream-format.ts';
import type { RenderedFile, RenderTools, SpeechRequest } from '../render-request.ts';
import { type Syllable, splitSyllables } from './syllables.ts';

export async function renderSpeech(request: SpeechRequest, target: string, tools: RenderTools): Promise<RenderedFile> {
  const { length, pieces } = synthesizeSpeech(request);
  const frames = await encodeMp3(inTurns(pieces, tools), SPEECH_FORMAT, tools);
  const info = infoFrameFor(frames, length, SPEECH_FORMAT);
  const tag = encodeSpeechTag(request, info.length + frames.length);
  await writeFile(target, Buffer.concat([tag, info, frames]));
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: length / SPEECH_FORMAT.sampleRate,
  };
}

async function* inTurns(pieces: Iterable<Int16Array>, { signal }: RenderTools) {
  for (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
    await yieldToEventLoop();
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

export function synthesizeSpeech({ text, voice: name }: Pick<SpeechRequest, 'text' | 'voice'>) {
  const voice = VOICES[name];
  const phrases = phrasesOf(text, voice);
  const length = phrases.reduce((sum, phrase) => sum + samplesOf(phrase), TAIL_SAMPLES);
  const waveforms = new WavetableCache();
  function* pieces(): Generator<Int16Array> {
    for (const phrase of phrases) yield sounded(phrase, voice, waveforms);
    yield new Int16Array(TAIL_SAMPLES);
  }
  return { length, pieces: pieces() };
}

function samplesOf({ seconds }: SpokenPhrase): number {
  return Math.round(seconds * sampleRate);
}

function sounded(phrase: SpokenPhrase, voice: Voice, waveforms: WavetableCache): Int16Array {
  const out = new Float32Array(samplesOf(phrase));
  const mouth = { waveforms, sampleRate, mouth: voice.mouth, rise: 0.03, fall: 0.04 };
  for (const { at: begins, length, syllable, from, to, loud } of phrase.syllables) {
    const at = Math.round(begins * sampleRate);
    const pitch = voice.note + Math.round((from + to) / 2);
    const bend = (_seconds: number, share: number) => voice.note + from + (to - from) * share - pitch;
    addSyllableSamples(out, { at, length: Math.round(length * sampleRate), pitch, loud, syllable }, { ...mouth, bend });
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
/** Marks in a text. The first that matches counts: the silence in seconds, and the final pitch change in semitones. */
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
/** The seconds of the phrase for a text without words. Some validators reject a file of fewer than ten frames. */
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
    const words = (parts[i] ?? '').split(BETWEEN_WORDS).map(splitSyllables);
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

/** Samples of one period: a power of two, so that a mask wraps the phase. */
export const WAVETABLE_SIZE = 4096;
const MASK = WAVETABLE_SIZE - 1;
const BLOCK = 64;
const OPENING: Record<Syllable['onset'], number> = { none: 0.03, nasal: 0.13, soft: 0.07, sharp: 0.025 };
const CLOSING = 0.16;

type Vowels = Record<string, [hertz: number, width: number, gain: number][]>;

export class WavetableCache {
  readonly #sines = Float64Array.from({ length: WAVETABLE_SIZE }, (_, i) => deterministicSine(i / WAVETABLE_SIZE));
  readonly #vowels = JSON.parse(readFileSync(join(packageDataFolder(), 'music/vowels.json'), 'utf8')) as Vowels;
  readonly #made = new Map<string, Float32Array>();

  of(harmonics: readonly number[]): Float32Array {
    return this.#kept(harmonics.join(), () => harmonics);
  }

  /** `note` is a MIDI note. `mouth` is the height of the resonances, relative to a man's. */
  vowel(name: string, note: number, mouth: number): Float32Array {
    return this.#kept(`${name} ${note} ${mouth}`, () => {
      const base = midiNoteHertz(note);
      const gainAt = (hertz: number) =>
        (this.#vowels[name] ?? []).reduce((sum, [centre, width, gain]) => {
          const distance = (hertz - centre * mouth) / width;
          return sum + gain / (1 + distance * distance);
        }, 0);
      const count = Math.max(3, Math.min(36, Math.floor(5_500 / base)));
      return Array.from({ length: count }, (_, i) => gainAt(base * (i + 1)) / Math.sqrt(i + 1) + 0.004);
    });
  }

  #kept(name: string, harmonics: () => readonly number[]): Float32Array {
    const table = this.#made.get(name) ?? this.#add(harmonics());
    this.#made.set(name, table);
    return table;
  }

  #add(harmonics: readonly number[]): Float32Array {
    const sum = new Float64Array(WAVETABLE_SIZE);
    harmonics.forEach((level, i) => {
      if (level === 0) return;
      for (let at = 0; at < WAVETABLE_SIZE; at++) {
        sum[at] = (sum[at] as number) + level * (this.#sines[(at * (i + 1)) & MASK] as number);
      }
    });
    const peak = sum.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
    return Float32Array.from(sum, (sample) => sample / peak);
  }
}

interface Mouth {
  waveforms: WavetableCache;
  sampleRate: number;
  mouth: number;
  rise: number;
  fall: number;
  /** The deviation from the note in semitones, by seconds and by share of the syllable. */
  bend: (seconds: number, share: number) => number;
}

interface HeldSyllable {
  at: number;
  length: number;
  pitch: number;
  loud: number;
  syllable: Syllable;
}

export function addSyllableSamples(out: Float32Array, held: HeldSyllable, voice: Mouth): void {
  const { at: begin, length, pitch, syllable } = held;
  const { waveforms, sampleRate, mouth, rise, fall } = voice;
  const hum = waveforms.vowel('hum', pitch, mouth);
  const open = waveforms.vowel(syllable.vowel, pitch, mouth);
  const step = (midiNoteHertz(pitch) * WAVETABLE_SIZE) / sampleRate;
  const end = Math.min(out.length, begin + length);
  let phase = 0;
  let before = 0;
  for (let at = begin; at < end; at += BLOCK) {
    const since = (at - begin) / sampleRate;
    const left = (begin + length - at) / sampleRate;
    const falling = Math.min(1, Math.max(0, (left - BLOCK / sampleRate) / fall));
    const loud = held.loud * Math.min(1, since / rise) * falling;
    const opened = Math.min(1, since / OPENING[syllable.onset]) * (0.35 + 0.65 * Math.min(1, left / CLOSING));
    const bent = step * semitoneRatio(voice.bend(since, (at - begin) / length));
    const stop = Math.min(BLOCK, end - at);
    for (let i = 0; i < stop; i++) {
      const closed = hum[phase & MASK] as number;
      const wave = closed + opened * ((open[phase & MASK] as number) - closed);
      (out[at + i] as number) += (before + ((loud - before) * i) / BLOCK) * wave;
      phase += bent;
    }
    before = loud;
  }
}

// Uses sums and products below: unlike `Math.sin` and `Math.exp`, they give the same last bit in every version of V8.
const TAU = 2 * Math.PI;
const HALVINGS = 10;
const TERMS = 8;

export function deterministicExponential(x: number): number {
  const small = x / (1 << HALVINGS);
  let power = 1;
  for (let term = TERMS; term > 0; term--) power = 1 + (small / term) * power;
  for (let i = 0; i < HALVINGS; i++) power *= power;
  return power;
}

export function deterministicSine(turns: number): number {
  const phase = turns - Math.floor(turns);
  if (phase >= 0.5) return -halfWave(phase - 0.5);
  return halfWave(phase);
}

function halfWave(phase: number): number {
  const x = (phase - 0.25) * TAU;
  const y = x * x;
  return 1 - (y / 2) * (1 - (y / 12) * (1 - (y / 30) * (1 - (y / 56) * (1 - (y / 90) * (1 - y / 132)))));
}

export function semitoneRatio(semitones: number): number {
  return deterministicExponential((semitones * Math.LN2) / 12);
}

export function midiNoteHertz(note: number): number {
  return 440 * semitoneRatio(note - 69);
}

/** The factor per sample that lets a value fall to 1/e in `seconds`. */
export function decayPerSample(seconds: number, sampleRate: number): number {
  return deterministicExponential(-1 / (seconds * sampleRate));
}
