/**
 * Functions whose last bit must not depend on the version of V8: sums and products only,
 * which IEEE 754 defines exactly. `Math.sin` and `Math.exp` are not so defined.
 */

const TAU = 2 * Math.PI;
const HALVINGS = 10;
const TERMS = 8;

/** e to the power of `x`, for |x| below about 100. */
export function exponential(x: number): number {
  const small = x / (1 << HALVINGS);
  let power = 1;
  for (let term = TERMS; term > 0; term--) power = 1 + (small / term) * power;
  for (let i = 0; i < HALVINGS; i++) power *= power;
  return power;
}

/** The sine of so many whole turns. */
export function sine(turns: number): number {
  const phase = turns - Math.floor(turns);
  if (phase >= 0.5) return -halfWave(phase - 0.5);
  return halfWave(phase);
}

/** Sine between 0 and half a turn, by its series about the crest. */
function halfWave(phase: number): number {
  const x = (phase - 0.25) * TAU;
  const y = x * x;
  return 1 - (y / 2) * (1 - (y / 12) * (1 - (y / 30) * (1 - (y / 56) * (1 - (y / 90) * (1 - y / 132)))));
}

/** The ratio of two frequencies that lie so many semitones apart. */
export function semitoneRatio(semitones: number): number {
  return exponential((semitones * Math.LN2) / 12);
}

/** Hertz of a MIDI note number; 69 is 440 Hz. */
export function noteHertz(note: number): number {
  return 440 * semitoneRatio(note - 69);
}

/** What to multiply by each sample, so that a value falls to 1/e in `seconds`. */
export function decayPerSample(seconds: number, sampleRate: number): number {
  return exponential(-1 / (seconds * sampleRate));
}
