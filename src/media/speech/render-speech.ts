import { writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { encodeSound } from '../mp3/encode-sound.ts';
import { speechTag } from '../mp3/own-tag.ts';
import { infoFrameFor, SPEECH_FORMAT } from '../mp3/stream-format.ts';
import type { RenderedFile, RenderTools, SpeechRequest } from '../render-request.ts';
import { limit } from '../song/loudness.ts';
import { type Movement, moveThrough } from './articulation.ts';
import { Synthesiser, soundedSamples } from './formant-synthesis.ts';
import { pronounce } from './pronounce.ts';
import type { PronouncingBook } from './pronouncing-book.ts';
import { timePhrases } from './prosody.ts';
import { VOICES } from './voices.ts';

const ENCODED = 0.95;

/** Writes spoken words as an MP3 of 64 kbit/s, 16 kHz, mono whose tag carries the text. */
export async function renderSpeech(
  request: SpeechRequest,
  target: string,
  tools: RenderTools,
  english: PronouncingBook,
): Promise<RenderedFile> {
  const { samples, pieces } = speak(request, english);
  const frames = await encodeSound(reporting(pieces, samples.length, tools), SPEECH_FORMAT, tools);
  tools.onProgress(ENCODED);
  const info = infoFrameFor(frames, samples.length, SPEECH_FORMAT);
  const tag = speechTag(request, info.length + frames.length);
  await writeFile(target, [tag, info, frames]);
  tools.onProgress(1);
  return {
    bytes: tag.length + info.length + frames.length,
    contentType: 'audio/mpeg',
    seconds: samples.length / SPEECH_FORMAT.sampleRate,
  };
}

/** The same pieces; reports how much of `length` has been taken and stops when it is cancelled. */
async function* reporting(
  pieces: AsyncIterable<Int16Array>,
  length: number,
  { signal, onProgress }: RenderTools,
): AsyncGenerator<Int16Array> {
  let taken = 0;
  for await (const piece of pieces) {
    signal.throwIfAborted();
    yield piece;
    taken += piece.length;
    onProgress((taken / length) * ENCODED);
  }
}

const TAIL_SAMPLES = 0.15 * SPEECH_FORMAT.sampleRate;
const SEGMENTS_A_PIECE = 100;

/** A text as it is spoken, mono at 16 kHz. */
interface Spoken {
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
