/** Two channels of samples, −1 to 1 when they are done. */
export interface Stereo {
  left: Float32Array;
  right: Float32Array;
}

export function silence(samples: number): Stereo {
  return { left: new Float32Array(samples), right: new Float32Array(samples) };
}

/** How loud a sound from `pan` (−1 left, 1 right) is on each side; as loud in all from everywhere. */
export function panGains(pan: number): [left: number, right: number] {
  return [Math.sqrt(1 - pan), Math.sqrt(1 + pan)];
}
