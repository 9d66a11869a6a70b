import { SPEECH_FORMAT } from '../mp3/constant-stream.ts';
import type { SpeechRequest } from '../render-request.ts';
import { limit } from '../song/loudness.ts';
import { Synthesiser } from './formant-synthesis.ts';
import { pronounce } from './pronounce.ts';
import { timePhrases } from './prosody.ts';
import { VOICES } from './voices.ts';

/** Root mean square that speech is brought to, pauses left out. */
const TARGET_LEVEL = 0.17;
const AUDIBLE = 0.01;
const TAIL_SECONDS = 0.15;
const PHONES_BETWEEN_REPORTS = 50;

/** The samples of a spoken text, mono at 24 kHz. `onShare` is told how far it is and may throw to stop. */
export function speak(
  request: Pick<SpeechRequest, 'text' | 'voice'>,
  onShare: (share: number) => void,
) {
  const voice = VOICES[request.voice];
  const phones = timePhrases(pronounce(request.text), voice);
  const synthesiser = new Synthesiser(voice, SPEECH_FORMAT.sampleRate);
  const parts = phones.map((phone, i) => {
    if (i % PHONES_BETWEEN_REPORTS === 0) onShare(i / phones.length);
    return synthesiser.speak(phone);
  });
  parts.push(new Float32Array(TAIL_SECONDS * SPEECH_FORMAT.sampleRate));
  return toLevel(parts);
}

function toLevel(parts: Float32Array[]): Int16Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const gain = levelGain(parts);
  const samples = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    for (const sample of part) samples[at++] = limit(sample * gain) * 32_767;
  }
  return samples;
}

function levelGain(parts: Float32Array[]): number {
  let energy = 0;
  let count = 0;
  for (const part of parts) {
    for (const sample of part) {
      if (Math.abs(sample) < AUDIBLE) continue;
      energy += sample * sample;
      count++;
    }
  }
  return energy > 0 ? TARGET_LEVEL / Math.sqrt(energy / count) : 1;
}
