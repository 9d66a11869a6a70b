import { synthesizeSpeech } from '../../../src/media/speech/render-speech.ts';

const SAMPLE_RATE = 16_000;

/** The samples of a spoken text, before any encoder. */
export function spoken(text: string, voice: 'aria' | 'orion' = 'aria'): Int16Array {
  const { length, pieces } = synthesizeSpeech({ text, voice });
  const samples = new Int16Array(length);
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece, at);
    at += piece.length;
  }
  return samples;
}

/** The pitch of a voice in hertz: the shortest lag, between 70 and 400 Hz, at which its dull part is most like itself. */
export function pitch(samples: Int16Array): number {
  const dull = smoothed(smoothed(Float64Array.from(samples)));
  const likeness = Array.from({ length: 189 }, (_, i) => likenessAt(dull, 40 + i));
  const best = Math.max(...likeness);
  const crest = (score: number, i: number) =>
    score > best * 0.9 && score >= (likeness[i - 1] ?? 0) && score >= (likeness[i + 1] ?? 0);
  return SAMPLE_RATE / (40 + likeness.findIndex(crest));
}

/** A mean over 2 ms, which silences what the mouth adds to the throat's tone. */
function smoothed(samples: Float64Array): Float64Array {
  const width = 32;
  let sum = 0;
  return samples.map((sample, i) => {
    sum += sample - (samples[i - width] ?? 0);
    return sum / width;
  });
}

function likenessAt(samples: Float64Array, lag: number): number {
  let product = 0;
  for (let i = lag; i < samples.length; i++) product += (samples[i] ?? 0) * (samples[i - lag] ?? 0);
  return product / (samples.length - lag);
}

/** How often sound is followed by at least 90 ms of silence and then by sound again. */
export function pauses(samples: Int16Array): number {
  const block = SAMPLE_RATE / 100;
  const loud: boolean[] = [];
  for (let at = 0; at + block <= samples.length; at += block) {
    loud.push(samples.subarray(at, at + block).some((sample) => Math.abs(sample) > 300));
  }
  const pattern = loud.map((isLoud) => (isLoud ? 'x' : '.')).join('');
  return pattern.match(/x\.{9,}(?=x)/g)?.length ?? 0;
}
