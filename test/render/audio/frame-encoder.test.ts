import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameEncoder } from '../../../src/render/mp3/frame-encoder.ts';
import {
  type ConstantFormat,
  framesFor,
  infoFrameFor,
  SONG_FORMAT,
  SPEECH_FORMAT,
} from '../../../src/render/mp3/stream-format.ts';
import { SeededRandom } from '../../../src/render/paint/seeded-random.ts';
import { decode } from './audio-tools.ts';
import { borrowedBytes, framesOf } from './frame-sides.ts';

const MOST = 32_767;

/** As many samples of `format` as half a second has, each made of its number. */
function sound({ sampleRate, channels }: ConstantFormat, sample: (at: number, channel: number) => number): Int16Array {
  const length = sampleRate / 2;
  return Int16Array.from({ length: length * channels }, (_, i) => sample(Math.floor(i / channels), i % channels));
}

function encoded(samples: Int16Array, format: ConstantFormat, pieces = [samples.length]): Buffer {
  const length = samples.length / format.channels;
  const encoder = new FrameEncoder(format, length);
  let at = 0;
  for (const piece of pieces) {
    encoder.push(samples.subarray(at, at + piece));
    at += piece;
  }
  encoder.push(samples.subarray(at));
  const frames = encoder.finish();
  return Buffer.concat([infoFrameFor(frames, length, format), frames]);
}

/** Decibels between a sound and what a decoder makes of it. */
function fidelity(samples: Int16Array, format: ConstantFormat): number {
  const heard = decode(encoded(samples, format));
  expect(heard.length).toBe(samples.length);
  let [signal, error] = [1e-9, 1e-9];
  for (let i = 0; i < samples.length; i++) {
    signal += (samples[i] as number) ** 2;
    error += ((samples[i] as number) - (heard[i] as number)) ** 2;
  }
  return 10 * Math.log10(signal / error);
}

const random = new SeededRandom(1);
const tone = (hertz: number, size: number, rate: number) => (at: number) =>
  Math.round(size * Math.sin((2 * Math.PI * hertz * at) / rate));

it.each([
  ['a tone', tone(440, 20_000, 48_000), 40],
  ['a high tone on one side', (at: number, side: number) => side * tone(15_000, 9_000, 48_000)(at), 30],
  ['a tone that is hardly heard', tone(300, 12, 48_000), 15],
  ['the loudest square', (at: number) => (at % 100 < 50 ? MOST : -MOST - 1), 15],
  ['the loudest noise', () => Math.round(random.between(-MOST, MOST)), 7],
  ['clicks', (at: number) => (at % 6_000 === 0 ? MOST : 0), 5],
])('codes %s so that another decoder gives it back', (_name, sample, decibels) => {
  expect(fidelity(sound(SONG_FORMAT, sample), SONG_FORMAT)).toBeGreaterThan(decibels);
});

it.each([
  ['a tone', tone(440, 20_000, 16_000), 40],
  ['a hiss', () => Math.round(random.between(-3_000, 3_000)), 15],
  ['the loudest noise', () => Math.round(random.between(-MOST, MOST)), 15],
])('codes %s of one channel at 16 kHz so that another decoder gives it back', (_name, sample, decibels) => {
  expect(fidelity(sound(SPEECH_FORMAT, sample), SPEECH_FORMAT)).toBeGreaterThan(decibels);
});

it.each([SONG_FORMAT, SPEECH_FORMAT])('leaves silence silent at $sampleRate hertz', (format) => {
  const silent = sound(format, () => 0);
  expect(decode(encoded(silent, format))).toEqual(silent);
});

it('writes whole frames that borrow nothing, as many as the sound takes [R048]', () => {
  const noise = sound(SONG_FORMAT, () => Math.round(random.between(-MOST, MOST)));
  const frames = framesOf(encoded(noise, SONG_FORMAT)).slice(1);
  expect(frames.length).toBe(framesFor(24_000, SONG_FORMAT));
  expect(frames.filter((frame) => borrowedBytes(frame) > 0)).toEqual([]);
});

it('writes the same bytes in whatever pieces the sound comes [I097]', () => {
  const samples = sound(SPEECH_FORMAT, () => Math.round(random.between(-9_000, 9_000)));
  const whole = encoded(samples, SPEECH_FORMAT);
  const property = fc.property(fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 8 }), (pieces) => {
    expect(encoded(samples, SPEECH_FORMAT, pieces).equals(whole)).toBe(true);
  });
  fc.assert(property, { numRuns: 20 });
});
