import { createDice, type Dice } from '../song/dice.ts';
import { cosine, exponential } from './exact-math.ts';
import type { TimedPhone } from './prosody.ts';
import type { Voice } from './voices.ts';

/** The mouth moves in steps of 4 ms. */
const STEP_SECONDS = 0.004;
/** Share of the way to its new shape that the mouth goes in one step. */
const AGILITY = 0.3;
const SUDDEN = 0.75;
const WIDTHS = [75, 105, 160, 240];
const FOURTH_FORMANT = 3450;
const NOISE_WIDTH = 900;

/** What the throat and the mouth do at one moment. */
interface Posture {
  formants: number[];
  voiced: number;
  noise: number;
  noiseHertz: number;
  pitch: number;
}

/** How many samples a phone is spoken for. */
export function soundedSamples(timed: TimedPhone, sampleRate: number): number {
  return stepsOf(timed) * Math.round(STEP_SECONDS * sampleRate);
}

function stepsOf({ seconds }: TimedPhone): number {
  return Math.max(1, Math.round(seconds / STEP_SECONDS));
}

/** A two-pole filter that rings at one frequency. */
class Resonator {
  readonly #radius: number;
  readonly #sampleRate: number;
  #a = 0;
  readonly #b: number;
  #gain = 1;
  #one = 0;
  #two = 0;

  constructor(width: number, sampleRate: number) {
    this.#radius = exponential((-Math.PI * width) / sampleRate);
    this.#b = -this.#radius * this.#radius;
    this.#sampleRate = sampleRate;
  }

  tune(hertz: number): void {
    const safe = Math.min(hertz, this.#sampleRate * 0.46);
    this.#a = 2 * this.#radius * cosine(safe / this.#sampleRate);
    this.#gain = 1 - this.#a - this.#b;
  }

  /** A sample of the filter whose loudness at 0 Hz is 1. */
  low(sample: number): number {
    return this.#ring(sample * this.#gain);
  }

  /** A sample of the filter whose loudness at its own frequency is about 1. */
  band(sample: number): number {
    return this.#ring(sample * (1 - this.#radius));
  }

  #ring(sample: number): number {
    const rung = sample + this.#a * this.#one + this.#b * this.#two;
    this.#two = this.#one;
    this.#one = rung;
    return rung;
  }
}

/** Speaks: a buzz and a hiss, shaped by resonators that follow the phones. Answers samples about −1 to 1. */
export class Synthesiser {
  readonly #voice: Voice;
  readonly #sampleRate: number;
  readonly #mouth: Resonator[];
  readonly #hiss: Resonator;
  readonly #dice: Dice = createDice('breath');
  readonly #posture: Posture;
  #turns = 0;

  constructor(voice: Voice, sampleRate: number) {
    this.#voice = voice;
    this.#sampleRate = sampleRate;
    this.#mouth = WIDTHS.map((width) => new Resonator(width * voice.mouth, sampleRate));
    this.#mouth[3]?.tune(FOURTH_FORMANT * voice.mouth);
    this.#hiss = new Resonator(NOISE_WIDTH, sampleRate);
    const formants = [500, 1500, 2500].map((hertz) => hertz * voice.mouth);
    this.#posture = { formants, voiced: 0, noise: 0, noiseHertz: 3000, pitch: voice.pitch };
  }

  /** The samples of one phone, going on from the one before. */
  speak(timed: TimedPhone): Float32Array {
    const samples = new Float32Array(soundedSamples(timed, this.#sampleRate));
    const steps = stepsOf(timed);
    const stepSamples = samples.length / steps;
    for (let step = 0; step < steps; step++) {
      this.#move(timed, step / steps);
      this.#sound(samples.subarray(step * stepSamples, (step + 1) * stepSamples));
    }
    return samples;
  }

  #move({ phone, pitch, stress }: TimedPhone, share: number): void {
    const posture = this.#posture;
    const shut = share < phone.shut;
    const burst = phone.shut > 0 && !shut;
    phone.formants.forEach((hertz, i) => {
      const aim = hertz * this.#voice.mouth;
      posture.formants[i] = approach(posture.formants[i] ?? aim, aim, AGILITY);
      this.#mouth[i]?.tune(posture.formants[i] ?? aim);
    });
    const noise = shut ? 0 : phone.noise * (burst ? 1.2 : 1);
    posture.voiced = approach(posture.voiced, phone.voiced * stress * (shut ? 0.4 : 1), 0.4);
    posture.noise = approach(posture.noise, noise, burst ? 1 : phone.shut > 0 ? SUDDEN : 0.35);
    if (phone.noise > 0) posture.noiseHertz = phone.noiseHertz;
    this.#hiss.tune(posture.noiseHertz);
    const flutter = 1 + this.#dice.between(-0.006, 0.006);
    posture.pitch = (pitch[0] + (pitch[1] - pitch[0]) * share) * flutter;
  }

  #sound(samples: Float32Array): void {
    const { voiced, noise, pitch } = this.#posture;
    const [first, second, third, fourth] = this.#mouth as [Resonator, Resonator, Resonator, Resonator];
    const stride = pitch / this.#sampleRate;
    const { breath, open } = this.#voice;
    for (let i = 0; i < samples.length; i++) {
      const white = this.#dice.between(-1, 1);
      const source = voiced * (glottis(this.#turns, open) + breath * white);
      const spoken = fourth.low(third.low(second.low(first.low(source))));
      samples[i] = spoken + noise * this.#hiss.band(white) * 2.2;
      this.#turns += stride;
      if (this.#turns >= 1) this.#turns -= 1;
    }
  }
}

function approach(from: number, to: number, share: number): number {
  return from + (to - from) * share;
}

/** The change of the air flow through the throat in one period: it opens gently and shuts at once. */
function glottis(turns: number, open: number): number {
  if (turns >= open) return 0;
  const share = turns / open;
  return share * (2 - 3 * share);
}
