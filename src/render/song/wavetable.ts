import { sine } from '../speech/exact-math.ts';

/** Samples of one period; a power of two, so that a phase wraps by masking. */
export const TABLE_SIZE = 4096;

export interface Waveforms {
  /** One period with the given loudness of each harmonic, the loudest sample being 1. */
  of(harmonics: readonly number[]): Float32Array;
}

/** Makes waveforms out of one sine table, each only once. */
export function createWaveforms(): Waveforms {
  const sines = Float64Array.from({ length: TABLE_SIZE }, (_, i) => sine(i / TABLE_SIZE));
  const made = new Map<string, Float32Array>();
  return {
    of: (harmonics) => {
      const name = harmonics.join();
      const table = made.get(name) ?? normalised(addHarmonics(sines, harmonics));
      made.set(name, table);
      return table;
    },
  };
}

function addHarmonics(sines: Float64Array, harmonics: readonly number[]): Float64Array {
  const sum = new Float64Array(TABLE_SIZE);
  harmonics.forEach((level, i) => {
    if (level === 0) return;
    for (let at = 0; at < TABLE_SIZE; at++) {
      sum[at] = (sum[at] ?? 0) + level * (sines[(at * (i + 1)) & (TABLE_SIZE - 1)] ?? 0);
    }
  });
  return sum;
}

function normalised(sum: Float64Array): Float32Array {
  const peak = sum.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
  return Float32Array.from(sum, (sample) => sample / peak);
}
