import { cosine, exponential } from './exact-math.ts';

/** A two-pole filter that rings at one frequency. */
export class Resonator {
  readonly #sampleRate: number;
  #width = Number.NaN;
  radius = 0;
  a = 0;
  b = 0;
  one = 0;
  two = 0;

  constructor(sampleRate: number) {
    this.#sampleRate = sampleRate;
  }

  tune(hertz: number, width: number): void {
    if (width !== this.#width) this.radius = exponential((-Math.PI * width) / this.#sampleRate);
    this.#width = width;
    this.a = 2 * this.radius * cosine(Math.min(hertz / this.#sampleRate, 0.46));
    this.b = -this.radius * this.radius;
  }

  /** Adds what of `input` is near its own frequency. */
  add(input: Float64Array, output: Float64Array, loud: number): void {
    let [one, two] = [this.one, this.two];
    const [a, b] = [this.a, this.b];
    const gain = (1 - this.radius) * loud;
    for (let i = 0; i < input.length; i++) {
      const rung = (input[i] as number) * gain + a * one + b * two;
      two = one;
      one = rung;
      output[i] = (output[i] as number) + rung;
    }
    this.one = one;
    this.two = two;
  }
}

/** Filters in place, through three one behind the other in one go: a processor is at the next sample in one while it still adds up in another. What is at 0 Hz keeps its loudness. */
export function passThree(samples: Float64Array, first: Resonator, second: Resonator, third: Resonator): void {
  const { a: a1, b: b1 } = first;
  const { a: a2, b: b2 } = second;
  const { a: a3, b: b3 } = third;
  const [g1, g2, g3] = [1 - a1 - b1, 1 - a2 - b2, 1 - a3 - b3];
  let [one1, two1, one2, two2, one3, two3] = [first.one, first.two, second.one, second.two, third.one, third.two];
  for (let i = 0; i < samples.length; i++) {
    const x = (samples[i] as number) * g1 + a1 * one1 + b1 * two1;
    two1 = one1;
    one1 = x;
    const y = x * g2 + a2 * one2 + b2 * two2;
    two2 = one2;
    one2 = y;
    const z = y * g3 + a3 * one3 + b3 * two3;
    two3 = one3;
    one3 = z;
    samples[i] = z;
  }
  [first.one, first.two, second.one, second.two, third.one, third.two] = [one1, two1, one2, two2, one3, two3];
}

/** The same through two. */
export function passTwo(samples: Float64Array, first: Resonator, second: Resonator): void {
  const { a: a1, b: b1 } = first;
  const { a: a2, b: b2 } = second;
  const [g1, g2] = [1 - a1 - b1, 1 - a2 - b2];
  let [one1, two1, one2, two2] = [first.one, first.two, second.one, second.two];
  for (let i = 0; i < samples.length; i++) {
    const x = (samples[i] as number) * g1 + a1 * one1 + b1 * two1;
    two1 = one1;
    one1 = x;
    const y = x * g2 + a2 * one2 + b2 * two2;
    two2 = one2;
    one2 = y;
    samples[i] = y;
  }
  [first.one, first.two, second.one, second.two] = [one1, two1, one2, two2];
}
