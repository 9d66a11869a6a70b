import { SPEECH_FORMAT } from '../mp3/constant-stream.ts';
import type { SpeechRequest } from '../render-request.ts';
import { limit } from '../song/loudness.ts';
import { Synthesiser, soundedSamples } from './formant-synthesis.ts';
import { pronounce } from './pronounce.ts';
import { timePhrases } from './prosody.ts';
import { spokenText } from './spoken-numbers.ts';
import { VOICES } from './voices.ts';

const TAIL_SAMPLES = 0.15 * SPEECH_FORMAT.sampleRate;
const PHONES_BETWEEN_REPORTS = 200;

/** The samples of a spoken text, mono at 24 kHz. `onShare` is told how far it is and may reject to stop. */
export async function speak(
  { text, voice: name }: Pick<SpeechRequest, 'text' | 'voice'>,
  onShare: (share: number) => Promise<void>,
): Promise<Int16Array> {
  const voice = VOICES[name];
  const phones = timePhrases(pronounce(spokenText(text)), voice);
  const { sampleRate } = SPEECH_FORMAT;
  const length = phones.reduce((sum, phone) => sum + soundedSamples(phone, sampleRate), TAIL_SAMPLES);
  const samples = new Int16Array(length);
  const synthesiser = new Synthesiser(voice, sampleRate);
  let at = 0;
  for (const [i, phone] of phones.entries()) {
    if (i % PHONES_BETWEEN_REPORTS === 0) await onShare(i / phones.length);
    for (const sample of synthesiser.speak(phone)) samples[at++] = limit(sample * voice.gain) * 32_767;
  }
  return samples;
}
