/** A sound of speech, as the mouth makes it. */
export interface Phone {
  /** First three resonances of a man's mouth, in hertz. */
  formants: readonly [number, number, number];
  /** How loud the voice is, 0 to 1. */
  voiced: number;
  /** How loud the breath is that hisses through a narrow place, and the pitch of the hiss. */
  noise: number;
  noiseHertz: number;
  seconds: number;
  /** A stop: the mouth is shut for this share of the time, then bursts open. */
  shut: number;
  isVowel: boolean;
}

type Row = [f1: number, f2: number, f3: number, voiced: number, noise: number, hertz: number, ms: number];

const VOWELS: Record<string, Row> = {
  a: [760, 1250, 2600, 0.8, 0, 0, 105],
  e: [500, 1850, 2550, 1, 0, 0, 90],
  i: [310, 2200, 2950, 1.1, 0, 0, 85],
  o: [480, 860, 2450, 1, 0, 0, 100],
  u: [330, 740, 2300, 1.1, 0, 0, 90],
};
const CONSONANTS: Record<string, Row> = {
  m: [260, 1050, 2200, 0.5, 0, 0, 70],
  n: [260, 1450, 2400, 0.5, 0, 0, 65],
  l: [360, 1150, 2700, 0.65, 0, 0, 60],
  r: [430, 1200, 1650, 0.65, 0, 0, 60],
  w: [310, 700, 2250, 0.6, 0, 0, 55],
  j: [290, 2150, 2900, 0.6, 0, 0, 50],
  v: [280, 1150, 2300, 0.4, 0.12, 3600, 60],
  z: [290, 1600, 2500, 0.35, 0.3, 5600, 70],
  f: [320, 1150, 2300, 0, 0.22, 3800, 85],
  s: [320, 1650, 2550, 0, 0.5, 6100, 95],
  S: [330, 1750, 2450, 0, 0.5, 3000, 95],
  h: [520, 1450, 2500, 0.08, 0.16, 1700, 55],
};
const STOPS: Record<string, Row> = {
  b: [260, 850, 2200, 0.3, 0.35, 900, 60],
  d: [260, 1650, 2550, 0.3, 0.4, 3800, 60],
  g: [260, 1900, 2300, 0.3, 0.4, 1900, 65],
  p: [320, 850, 2200, 0, 0.5, 950, 80],
  t: [320, 1650, 2550, 0, 0.6, 4300, 80],
  k: [320, 1900, 2300, 0, 0.55, 1950, 85],
};
const SHUT_SHARE = 0.68;

function phone([f1, f2, f3, voiced, noise, noiseHertz, ms]: Row, shut: number, isVowel: boolean): Phone {
  return { formants: [f1, f2, f3], voiced, noise, noiseHertz, seconds: ms / 1000, shut, isVowel };
}

function phones(rows: Record<string, Row>, shut: number, isVowel: boolean): [string, Phone][] {
  return Object.entries(rows).map(([name, row]) => [name, phone(row, shut, isVowel)]);
}

/** All sounds by the letter that stands for them; `S` is the sound of "sh". */
export const PHONES: ReadonlyMap<string, Phone> = new Map([
  ...phones(VOWELS, 0, true),
  ...phones(CONSONANTS, 0, false),
  ...phones(STOPS, SHUT_SHARE, false),
]);

/** A mouth at rest, without sound. */
export function rest(seconds: number): Phone {
  return { ...phone([500, 1500, 2500, 0, 0, 3000, 0], 0, false), seconds };
}
