import type { Movement } from './articulation.ts';
import type { Hiss, TimedSegment, Triple } from './phones.ts';
import { passThree, passTwo, Resonator } from './resonator.ts';
import type { Voice } from './voices.ts';

/** The mouth moves in steps of 4 ms. */
const STEP_SECONDS = 0.004;
/** What lies above the formants that move. */
const FIXED: [hertz: number, width: number][] = [
  [3450, 240],
  [4600, 350],
];
const BANDS = 2;
/** Share of the way to its new loudness that a source goes in one step. */
const GENTLE = 0.35;
const QUICK = 0.6;
const HISS_LEVEL = 1;

/** How many samples a segment is spoken for. */
export function soundedSamples(timed: TimedSegment, sampleRate: number): number {
  return stepsOf(timed) * Math.round(STEP_SECONDS * sampleRate);
}

function stepsOf({ seconds }: TimedSegment): number {
  return Math.max(1, Math.round(seconds / STEP_SECONDS));
}

/** Speaks: a buzz and a breath through resonators that follow the mouth, and a hiss beside them. Answers samples about −1 to 1. */
export class Synthesiser {
  readonly #voice: Voice;
  readonly #mouth: readonly [Resonator, Resonator, Resonator];
  readonly #fixed: readonly [Resonator, Resonator];
  readonly #bands: Resonator[];
  readonly #spoken: Float64Array;
  readonly #noise: Float64Array;
  readonly #sampleRate: number;
  #voiced = 0;
  #breath = 0;
  readonly #loud = new Float64Array(BANDS);
  #turns = 0;
  #random = 0x2545f491;

  constructor(voice: Voice, sampleRate: number) {
    this.#voice = voice;
    this.#sampleRate = sampleRate;
    const resonator = () => new Resonator(sampleRate);
    this.#mouth = [resonator(), resonator(), resonator()];
    this.#fixed = [resonator(), resonator()];
    this.#bands = Array.from({ length: BANDS }, resonator);
    FIXED.forEach(([hertz, width], i) => {
      this.#fixed[i]?.tune(hertz * voice.mouth, width);
    });
    const step = Math.round(STEP_SECONDS * sampleRate);
    [this.#spoken, this.#noise] = [new Float64Array(step), new Float64Array(step)];
  }

  /** The samples of one segment, going on from the one before. */
  speak(timed: TimedSegment, movement: Movement): Float32Array {
    const samples = new Float32Array(soundedSamples(timed, this.#sampleRate));
    const steps = stepsOf(timed);
    const { pitch } = timed;
    for (let step = 0; step < steps; step++) {
      const share = (step + 0.5) / steps;
      const formants = formantsAt(movement, { share, seconds: timed.seconds });
      this.#move(timed, formants);
      this.#excite(pitch[0] + (pitch[1] - pitch[0]) * share);
      passThree(this.#spoken, ...this.#mouth);
      passTwo(this.#spoken, ...this.#fixed);
      this.#bands.forEach((band, i) => {
        const loud = this.#loud[i] ?? 0;
        if (loud > 0.0005) band.add(this.#noise, this.#spoken, loud * HISS_LEVEL);
      });
      samples.set(this.#spoken, step * this.#spoken.length);
    }
    return samples;
  }

  #move({ segment, stress }: TimedSegment, formants: Triple): void {
    const { mouth } = this.#voice;
    formants.forEach((hertz, i) => {
      this.#mouth[i]?.tune(hertz * mouth, (segment.widths[i] ?? 100) * mouth);
    });
    this.#voiced += (segment.voiced * stress - this.#voiced) * GENTLE;
    this.#breath += (segment.breath - this.#breath) * QUICK;
    this.#hiss(segment.hiss ?? [], { isSudden: segment.isSudden, second: formants[1] });
  }

  #hiss(hiss: Hiss, { isSudden, second }: { isSudden: boolean; second: number }): void {
    for (let i = 0; i < BANDS; i++) {
      const [hertz, width, loud] = hiss[i] ?? [0, 0, 0];
      if (loud > 0) this.#bands[i]?.tune((hertz || second) * this.#voice.mouth ** 0.5, width);
      const before = this.#loud[i] ?? 0;
      this.#loud[i] = before + (loud - before) * (isSudden ? 1 : loud > before ? GENTLE : QUICK);
    }
  }

  /** Fills `spoken` with what comes out of the throat, and `noise` with what a hiss is made of. */
  #excite(pitch: number): void {
    const [voiced, breath] = [this.#voiced, this.#breath];
    const { open, breath: breathy } = this.#voice;
    const stride = pitch / this.#sampleRate;
    let [random, turns] = [this.#random, this.#turns];
    for (let i = 0; i < this.#spoken.length; i++) {
      random ^= random << 13;
      random ^= random >>> 17;
      random ^= random << 5;
      const white = random / 0x80000000;
      this.#noise[i] = white;
      this.#spoken[i] = voiced * (glottis(turns, open) + breathy * white) + breath * white;
      turns += stride;
      if (turns >= 1) turns -= 1;
    }
    [this.#random, this.#turns] = [random, turns];
  }
}

/** Comes from what was, holds or glides, and goes to what will be. */
function formantsAt(
  { from, to, aim, glide, coming, going }: Movement,
  { share, seconds }: { share: number; seconds: number },
): Triple {
  const at = share * seconds;
  const glided = Math.max(0, Math.min(1, (share - 0.2) / 0.6));
  const inward = coming > 0 ? Math.max(0, 1 - at / coming) : 0;
  const outward = going > 0 ? Math.max(0, 1 - (seconds - at) / going) : 0;
  const formant = (i: 0 | 1 | 2) => {
    const own = aim[i] + (glide[i] - aim[i]) * glided;
    return own + (from[i] - own) * inward + (to[i] - own) * outward;
  };
  return [formant(0), formant(1), formant(2)];
}

/** The change of the air flow through the throat in one period: it opens gently and shuts at once. */
function glottis(turns: number, open: number): number {
  if (turns >= open) return 0;
  const share = turns / open;
  return share * (2 - 3 * share);
}
