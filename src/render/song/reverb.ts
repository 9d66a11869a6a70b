import type { Stereo } from './stereo.ts';

/** Echo times in samples that have no common measure, so that the room has no tone of its own. */
const COMBS = [1687, 1601, 2053, 2251] as const;
const FEEDBACK = 0.76;
const DAMPING = 0.35;
const DIFFUSERS = { left: 241, right: 277 };

/** Adds the room's answer to `bus`, `amount` times as loud as the sound itself. */
export function addRoom(bus: Stereo, amount: number): void {
  const mono = new Float32Array(bus.left.length);
  for (let i = 0; i < mono.length; i++) {
    mono[i] = ((bus.left[i] as number) + (bus.right[i] as number)) * amount * 0.25;
  }
  addEchoes(mono, [COMBS[0], COMBS[2], DIFFUSERS.left], bus.left);
  addEchoes(mono, [COMBS[1], COMBS[3], DIFFUSERS.right], bus.right);
}

/** Through two combs beside each other and a diffuser behind them in one go: a processor is in one comb while it still adds up in the other. */
function addEchoes(mono: Float32Array, delays: readonly [number, number, number], output: Float32Array): void {
  const [line1, line2, line3] = delays.map((delay) => new Float32Array(delay)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  let [at1, at2, at3, damped1, damped2] = [0, 0, 0, 0, 0];
  for (let i = 0; i < mono.length; i++) {
    const sample = mono[i] as number;
    const echo1 = line1[at1] as number;
    const echo2 = line2[at2] as number;
    damped1 = echo1 + (damped1 - echo1) * DAMPING;
    damped2 = echo2 + (damped2 - echo2) * DAMPING;
    line1[at1] = sample + damped1 * FEEDBACK;
    line2[at2] = sample + damped2 * FEEDBACK;
    at1 = at1 + 1 === line1.length ? 0 : at1 + 1;
    at2 = at2 + 1 === line2.length ? 0 : at2 + 1;
    const held = line3[at3] as number;
    const sent = Math.fround(echo1 + echo2) + held * 0.6;
    line3[at3] = sent;
    at3 = at3 + 1 === line3.length ? 0 : at3 + 1;
    (output[i] as number) += held - sent * 0.6;
  }
}
