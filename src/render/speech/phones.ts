/** A stretch of sound for which mouth and throat aim at one posture; most phones are one, stops are several. */
export interface Segment {
  /** First three resonances of a man's mouth in hertz; those of the next sound where it has none of its own. */
  formants: Triple | undefined;
  /** Where they go until its end: the second half of a diphthong. */
  glide: Triple | undefined;
  /** Widths of the three resonances, in hertz. */
  widths: Triple;
  /** How loud the voice is, and the breath that goes through the mouth. */
  voiced: number;
  breath: number;
  /** What hisses at a narrow place. */
  hiss: Hiss | undefined;
  /** Length in seconds: as it is said alone with stress, and at least. */
  seconds: number;
  least: number;
  /** The one of two neighbours that decides where their formants meet. */
  rank: number;
  /** Formants that are shaped by the vowel beside it: a sound of the back of the tongue. */
  isVelar: boolean;
  isVowel: boolean;
  /** Sets in at once, as a burst does. */
  isSudden: boolean;
}

/** A segment with the length and the pitch at which it is spoken. */
export interface TimedSegment {
  segment: Segment;
  seconds: number;
  /** Hertz at its beginning and its end. */
  pitch: [number, number];
  /** Loudness beside other sounds of its kind. */
  stress: number;
}

export type Triple = readonly [number, number, number];

/** Noise in bands: for each its hertz, its width and how loud it is. */
export type Hiss = readonly Triple[];

type Vowel = [formants: Triple, widths: Triple, ms: number, least: number, glide?: Triple];
type Consonant = [formants: Triple, widths: Triple, voiced: number, ms: number, least: number, hiss?: Hiss];
/** Closure, burst and breath behind it, in milliseconds. */
type Stop = [formants: Triple, voiced: number, ms: Triple, hiss: Hiss];

const VOWELS: Record<string, Vowel> = {
  a: [[700, 1220, 2600], [90, 80, 160], 150, 80],
  e: [[480, 1850, 2520], [70, 90, 200], 130, 60],
  i: [[300, 2200, 2960], [50, 120, 300], 155, 55, [285, 2250, 3000]],
  o: [[500, 900, 2400], [80, 80, 90], 140, 70],
  u: [[330, 1050, 2220], [65, 100, 140], 180, 65, [315, 900, 2200]],
  A: [[720, 1150, 2520], [110, 75, 160], 215, 95],
  æ: [[690, 1720, 2450], [80, 130, 250], 220, 80, [670, 1640, 2450]],
  V: [[640, 1200, 2550], [80, 60, 140], 140, 60],
  '@': [[490, 1350, 2500], [90, 80, 150], 75, 40],
  O: [[590, 920, 2500], [90, 80, 110], 220, 95],
  E: [[560, 1760, 2520], [65, 90, 190], 150, 65],
  R: [[480, 1270, 1600], [90, 70, 100], 170, 75],
  I: [[410, 1900, 2570], [55, 100, 150], 130, 40],
  U: [[450, 1080, 2350], [80, 90, 90], 150, 60],
  é: [[490, 1820, 2520], [70, 100, 200], 190, 75, [330, 2180, 2680]],
  á: [[690, 1180, 2550], [100, 75, 180], 235, 120, [400, 2000, 2600]],
  à: [[690, 1260, 2550], [90, 75, 150], 245, 110, [430, 920, 2380]],
  ò: [[540, 900, 2420], [80, 60, 130], 265, 130, [370, 1950, 2500]],
  ó: [[530, 1020, 2350], [80, 75, 90], 210, 80, [410, 850, 2300]],
};
const S: Hiss = [
  [4700, 900, 0.5],
  [6800, 1500, 0.85],
];
const SH: Hiss = [
  [2650, 500, 0.5],
  [3900, 1100, 0.5],
];
const CONSONANTS: Record<string, Consonant> = {
  m: [[270, 1150, 2150], [60, 180, 220], 0.55, 80, 50],
  n: [[270, 1500, 2500], [60, 220, 280], 0.55, 75, 45],
  N: [[270, 2000, 2700], [60, 250, 300], 0.55, 95, 60],
  l: [[360, 1050, 2800], [60, 100, 250], 0.7, 80, 40],
  r: [[330, 1120, 1450], [70, 100, 120], 0.75, 80, 35],
  w: [[300, 640, 2150], [55, 80, 80], 0.75, 80, 55],
  j: [[270, 2180, 2980], [50, 180, 380], 0.7, 75, 40],
  v: [[240, 1120, 2150], [70, 100, 140], 0.5, 65, 40, [[6500, 5000, 0.05]]],
  D: [[270, 1300, 2540], [70, 100, 180], 0.5, 55, 30, [[6000, 4000, 0.05]]],
  z: [[260, 1550, 2550], [70, 120, 200], 0.42, 80, 45, scaled(S, 0.45)],
  Z: [[280, 1800, 2650], [70, 120, 220], 0.45, 75, 45, scaled(SH, 0.5)],
  f: [
    [330, 1120, 2150],
    [200, 120, 150],
    0,
    105,
    70,
    [
      [7000, 5000, 0.14],
      [1500, 1500, 0.025],
    ],
  ],
  T: [[320, 1320, 2560], [200, 100, 200], 0, 95, 60, [[6200, 3500, 0.12]]],
  s: [[320, 1550, 2560], [200, 100, 220], 0, 115, 65, S],
  S: [[320, 1800, 2700], [200, 110, 280], 0, 115, 75, SH],
};
const STOPS: Record<string, Stop> = {
  b: [
    [230, 850, 2150],
    0.22,
    [70, 8, 0],
    [
      [900, 900, 0.25],
      [2500, 3000, 0.1],
    ],
  ],
  d: [
    [230, 1700, 2620],
    0.22,
    [60, 12, 0],
    [
      [4000, 1200, 0.35],
      [6000, 2500, 0.2],
    ],
  ],
  g: [
    [230, 1800, 2300],
    0.22,
    [62, 18, 0],
    [
      [0, 350, 0.5],
      [4200, 2000, 0.08],
    ],
  ],
  p: [
    [350, 850, 2150],
    0,
    [80, 10, 42],
    [
      [900, 900, 0.35],
      [2500, 3000, 0.15],
    ],
  ],
  t: [
    [350, 1700, 2620],
    0,
    [65, 16, 42],
    [
      [4200, 1200, 0.6],
      [6300, 2500, 0.5],
    ],
  ],
  k: [
    [350, 1800, 2300],
    0,
    [68, 24, 48],
    [
      [0, 350, 0.75],
      [4200, 2000, 0.12],
    ],
  ],
};
const AFFRICATES: Record<string, [stop: string, voiced: number, ms: number, hiss: Hiss]> = {
  C: ['t', 0, 80, SH],
  J: ['d', 0.35, 55, scaled(SH, 0.7)],
};
const BREATH = 0.32;
const RANKS = { vowel: 1, breath: 0, liquid: 4, nasal: 7, fricative: 6, stop: 9 };

function scaled(hiss: Hiss, by: number): Hiss {
  return hiss.map(([hertz, width, loud]) => [hertz, width, loud * by] as const);
}

const SILENT: Segment = {
  ...{ formants: undefined, glide: undefined, widths: [90, 110, 170], voiced: 0, breath: 0, hiss: undefined },
  ...{ seconds: 0, least: 0, rank: RANKS.breath, isVelar: false, isVowel: false, isSudden: false },
};

function vowel([formants, widths, ms, least, glide]: Vowel): Segment[] {
  const times = { seconds: ms / 1000, least: least / 1000 };
  return [{ ...SILENT, formants, glide, widths, voiced: 1, ...times, rank: RANKS.vowel, isVowel: true }];
}

function consonant(letter: string, [formants, widths, voiced, ms, least, hiss]: Consonant): Segment[] {
  const rank = hiss ? RANKS.fricative : 'mnN'.includes(letter) ? RANKS.nasal : RANKS.liquid;
  return [{ ...SILENT, formants, widths, voiced, hiss, seconds: ms / 1000, least: least / 1000, rank }];
}

function stop(letter: string, [formants, voiced, [shut, burst, breath], hiss]: Stop): Segment[] {
  const isVelar = letter === 'k' || letter === 'g';
  const part = { ...SILENT, formants, isVelar, rank: RANKS.stop };
  const lasting = (ms: number) => ({ seconds: ms / 1000, least: (ms * 0.7) / 1000 });
  return [
    { ...part, voiced, widths: [60, 200, 300], ...lasting(shut) },
    { ...part, voiced, widths: [200, 150, 250], hiss, ...lasting(burst), isSudden: true },
    ...(breath > 0 ? [{ ...SILENT, breath: BREATH, widths: [200, 130, 200] as const, ...lasting(breath) }] : []),
  ];
}

function affricate([closure, voiced, ms, hiss]: [string, number, number, Hiss]): Segment[] {
  const [shut] = stop(closure, STOPS[closure] as Stop);
  const formants = [300, 1800, 2700] as const;
  const release = { ...SILENT, formants, voiced, hiss, seconds: ms / 1000, least: 0.04, rank: RANKS.fricative };
  return [shut as Segment, { ...release, isSudden: true }];
}

/** The segments of each sound, by the letter that stands for it. */
export const PHONES: ReadonlyMap<string, readonly Segment[]> = new Map([
  ...Object.entries(VOWELS).map(([letter, row]) => [letter, vowel(row)] as const),
  ...Object.entries(CONSONANTS).map(([letter, row]) => [letter, consonant(letter, row)] as const),
  ...Object.entries(STOPS).map(([letter, row]) => [letter, stop(letter, row)] as const),
  ...Object.entries(AFFRICATES).map(([letter, row]) => [letter, affricate(row)] as const),
  ['h', [{ ...SILENT, breath: BREATH * 1.2, widths: [180, 120, 180] as const, seconds: 0.07, least: 0.045 }]] as const,
]);

/** A mouth at rest, without sound. */
export function rest(seconds: number): Segment {
  return { ...SILENT, seconds, least: seconds };
}
