/** A resonance of the mouth. */
export interface Formant {
  hertz: number;
  /** Width at half power, in hertz. */
  width: number;
  gain: number;
}

const TABLE = {
  a: [
    [760, 90, 1],
    [1250, 110, 0.55],
    [2600, 160, 0.2],
    [3500, 220, 0.1],
  ],
  e: [
    [480, 80, 1],
    [1900, 120, 0.45],
    [2550, 160, 0.25],
    [3500, 220, 0.1],
  ],
  i: [
    [290, 70, 1],
    [2250, 120, 0.35],
    [3000, 170, 0.28],
    [3600, 220, 0.12],
  ],
  o: [
    [460, 80, 1],
    [830, 100, 0.5],
    [2450, 160, 0.1],
    [3300, 220, 0.05],
  ],
  u: [
    [320, 75, 1],
    [700, 95, 0.35],
    [2300, 160, 0.06],
    [3200, 220, 0.03],
  ],
  hum: [
    [260, 70, 1],
    [1050, 200, 0.08],
    [2200, 260, 0.04],
    [3200, 300, 0.01],
  ],
} satisfies Record<string, [number, number, number][]>;

export type Vowel = keyof typeof TABLE;

/** The formants of a vowel, for a mouth whose resonances lie `scale` times as high as a man's; `hum` is a closed one. */
export function formantsOf(vowel: Vowel, scale: number): Formant[] {
  return TABLE[vowel].map(([hertz, width, gain]) => ({ hertz: hertz * scale, width, gain }));
}

/** How strongly the formants let a frequency through, 0 to about 1. */
export function formantGain(formants: Formant[], hertz: number): number {
  let sum = 0;
  for (const { hertz: centre, width, gain } of formants) {
    const distance = (hertz - centre) / width;
    sum += gain / (1 + distance * distance);
  }
  return sum;
}
