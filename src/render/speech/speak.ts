import { SPEECH_FORMAT } from '../mp3/constant-stream.ts';
import type { SpeechRequest } from '../render-request.ts';
import { limit } from '../song/loudness.ts';
import { type Movement, moveThrough } from './articulation.ts';
import { Synthesiser, soundedSamples } from './formant-synthesis.ts';
import { pronounce } from './pronounce.ts';
import type { PronouncingBook } from './pronouncing-book.ts';
import { timePhrases } from './prosody.ts';
import { VOICES } from './voices.ts';

const TAIL_SAMPLES = 0.15 * SPEECH_FORMAT.sampleRate;
const SEGMENTS_BETWEEN_REPORTS = 200;

/** The samples of a spoken text, mono at 24 kHz. `onShare` is told how far it is and may reject to stop. */
export async function speak(
  { text, voice: name }: Pick<SpeechRequest, 'text' | 'voice'>,
  english: PronouncingBook,
  onShare: (share: number) => Promise<void>,
): Promise<Int16Array> {
  const voice = VOICES[name];
  const segments = timePhrases(pronounce(text, english), voice);
  const movements = moveThrough(segments);
  const { sampleRate } = SPEECH_FORMAT;
  const length = segments.reduce((sum, segment) => sum + soundedSamples(segment, sampleRate), TAIL_SAMPLES);
  const samples = new Int16Array(length);
  const synthesiser = new Synthesiser(voice, sampleRate);
  let at = 0;
  for (const [i, segment] of segments.entries()) {
    if (i % SEGMENTS_BETWEEN_REPORTS === 0) await onShare(i / segments.length);
    for (const sample of synthesiser.speak(segment, movements[i] as Movement)) {
      samples[at++] = limit(sample * voice.gain) * 32_767;
    }
  }
  return samples;
}
