import { sine } from '../speech/exact-math.ts';
import { holdVowel, type Waveforms } from '../speech/held-vowel.ts';
import { SAMPLE_RATE } from './play-note.ts';
import type { Stereo, SungNote } from './score.ts';

const LEVEL = 0.62;
/** How high the resonances of each kind of voice lie, beside a man's. */
const MOUTHS: Record<string, number> = { child: 1.32, soprano: 1.2, alto: 1.14, tenor: 1.02, baritone: 0.94 };

/** Adds a line to `bus`, in the middle. */
export function singLine(bus: Stereo, line: readonly SungNote[], singer: { kind: string; waveforms: Waveforms }): void {
  const sung = new Float32Array(bus.left.length);
  const mouth = MOUTHS[singer.kind] ?? 1.1;
  const voice = {
    waveforms: singer.waveforms,
    sampleRate: SAMPLE_RATE,
    mouth,
    rise: 0.046,
    fall: 0.054,
    bend: vibrato,
  };
  for (const note of line) holdVowel(sung, { ...note, loud: LEVEL * note.velocity }, voice);
  for (let i = 0; i < sung.length; i++) {
    (bus.left[i] as number) += sung[i] as number;
    (bus.right[i] as number) += sung[i] as number;
  }
}

function vibrato(seconds: number): number {
  return 0.28 * Math.min(1, Math.max(0, (seconds - 0.22) * 3)) * sine(seconds * 5.3);
}
