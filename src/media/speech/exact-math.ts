/** Sums and products give the same last bit in every version of V8, unlike `Math.sin` and `Math.exp`. */

const TAU = 2 * Math.PI;
const HALVINGS = 10;
const TERMS = 8;

/**
 * Accurate for |x| below about 100.
 */
export function exponential(x: number): number {
  const small = x / (1 << HALVINGS);
  let power = 1;
  for (let term = TERMS; term > 0; term--) power = 1 + (small / term) * power;
  for (let i = 0; i < HALVINGS; i++) power *= power;
  return power;
}

export function sine(turns: number): number {
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
  return exponential((semitones * Math.LN2) / 12);
}

export function noteHertz(note: number): number {
  return 440 * semitoneRatio(note - 69);
}

/** The factor per sample that lets a value fall to 1/e in `seconds`. */
export function decayPerSample(seconds: number, sampleRate: number): number {
  return exponential(-1 / (seconds * sampleRate));
}
