import { setImmediate as nextTurn } from 'node:timers/promises';
import { SPEECH_FORMAT } from '../mp3/stream-format.ts';
import type { SpeechRequest } from '../render-request.ts';
import { limit } from '../song/loudness.ts';
import { type Movement, moveThrough } from './articulation.ts';
import { Synthesiser, soundedSamples } from './formant-synthesis.ts';
import { pronounce } from './pronounce.ts';
import type { PronouncingBook } from './pronouncing-book.ts';
import { timePhrases } from './prosody.ts';
import { VOICES } from './voices.ts';

const TAIL_SAMPLES = 0.15 * SPEECH_FORMAT.sampleRate;
const SEGMENTS_A_PIECE = 100;

/** A text as it is spoken, mono at 16 kHz. */
export interface Spoken {
  /** All of them; those of pieces that are not yet spoken are silent. */
  samples: Int16Array;
  /** Speaks: each piece is a view of the next ones of `samples`. */
  pieces: AsyncGenerator<Int16Array>;
}

export function speak({ text, voice: name }: Pick<SpeechRequest, 'text' | 'voice'>, english: PronouncingBook): Spoken {
  const voice = VOICES[name];
  const segments = timePhrases(pronounce(text, english), voice);
  const movements = moveThrough(segments);
  const { sampleRate } = SPEECH_FORMAT;
  const length = segments.reduce((sum, segment) => sum + soundedSamples(segment, sampleRate), TAIL_SAMPLES);
  const samples = new Int16Array(length);
  const synthesiser = new Synthesiser(voice, sampleRate);
  async function* pieces(): AsyncGenerator<Int16Array> {
    let [at, from] = [0, 0];
    for (const [i, segment] of segments.entries()) {
      const spoken = synthesiser.speak(segment, movements[i] as Movement);
      copyLimited(spoken, voice.gain, samples.subarray(at, at + spoken.length));
      at += spoken.length;
      if (i % SEGMENTS_A_PIECE < SEGMENTS_A_PIECE - 1) continue;
      yield samples.subarray(from, at);
      from = at;
      await nextTurn();
    }
    yield samples.subarray(from);
  }
  return { samples, pieces: pieces() };
}

/** Not in the generator, whose loops are slower. */
function copyLimited(spoken: Float32Array, gain: number, samples: Int16Array): void {
  for (let i = 0; i < spoken.length; i++) samples[i] = limit((spoken[i] as number) * gain) * 32_767;
}

/** All that is spoken. */
export async function spokenAtOnce(spoken: Spoken): Promise<Int16Array> {
  for await (const _piece of spoken.pieces);
  return spoken.samples;
}
