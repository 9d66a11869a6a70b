import { expect, it } from 'vitest';
import { decayPerSample, exponential, noteHertz, sine } from '../../../src/media/speech/render-speech.ts';

it.each([-2.75, -0.3, 0, 0.1, 0.25, 0.5, 0.6180339887, 0.999, 7.125])(
  'computes the exact sine of %d turns on every machine',
  (turns) => {
    expect(sine(turns)).toBeCloseTo(Math.sin(2 * Math.PI * turns), 6);
  },
);

it.each([-80, -5, -1, -1e-6, 0, 0.5, 3, 20])('computes e to the power of %d exactly on every machine', (power) => {
  expect(exponential(power) / Math.exp(power)).toBeCloseTo(1, 8);
});

it.each([
  [69, 440],
  [57, 220],
  [60, 261.6256],
])('computes the frequency of note %i', (note, hertz) => {
  expect(noteHertz(note)).toBeCloseTo(hertz, 3);
});

it('decays the volume of a sound to 1/e in the given time', () => {
  const factor = decayPerSample(0.01, 48_000);
  expect(Array.from({ length: 480 }).reduce<number>((value) => value * factor, 1)).toBeCloseTo(0.367879, 5);
});
