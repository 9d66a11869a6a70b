import type { Stereo } from './stereo.ts';

/** Echo times in samples that have no common measure, so that the room has no tone of its own. */
const COMBS = [1687, 1601, 2053, 2251];
const FEEDBACK = 0.76;
const DAMPING = 0.35;
const DIFFUSERS = { left: 241, right: 277 };

/** Adds the room's answer to `bus`, `amount` times as loud as the sound itself. */
export function addRoom(bus: Stereo, amount: number): void {
  const samples = bus.left.length;
  const mono = new Float32Array(samples);
  for (let i = 0; i < samples; i++) {
    mono[i] = ((bus.left[i] as number) + (bus.right[i] as number)) * amount * 0.25;
  }
  const wet = { left: new Float32Array(samples), right: new Float32Array(samples) };
  for (const [i, delay] of COMBS.entries()) {
    comb(mono, delay, i % 2 === 0 ? wet.left : wet.right);
  }
  diffuse(wet.left, DIFFUSERS.left, bus.left);
  diffuse(wet.right, DIFFUSERS.right, bus.right);
}

function comb(input: Float32Array, delay: number, output: Float32Array): void {
  const line = new Float32Array(delay);
  let at = 0;
  let damped = 0;
  for (let i = 0; i < input.length; i++) {
    const echo = line[at] as number;
    damped = echo + (damped - echo) * DAMPING;
    line[at] = (input[i] as number) + damped * FEEDBACK;
    (output[i] as number) += echo;
    at = at + 1 === delay ? 0 : at + 1;
  }
}

function diffuse(input: Float32Array, delay: number, output: Float32Array): void {
  const line = new Float32Array(delay);
  let at = 0;
  for (let i = 0; i < input.length; i++) {
    const held = line[at] as number;
    const sent = (input[i] as number) + held * 0.6;
    line[at] = sent;
    (output[i] as number) += held - sent * 0.6;
    at = at + 1 === delay ? 0 : at + 1;
  }
}
