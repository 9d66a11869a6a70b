/** An engine as documented, written down a second time for the tests. */
export interface EngineRow {
  model: string;
  /** Lengths in seconds: the shortest and the longest, or the only three. */
  lengths: readonly [number, number] | readonly [4, 6, 8];
  resolutions: readonly string[];
  /** The resolution of a request that names none. */
  standard: string;
  audio: 'native' | 'choice' | 'none';
  /** Credits per second. */
  rate: number;
  /** The highest number of reference images, including a starting image. */
  pictures: number;
  last: boolean;
  seed: boolean;
  negative: boolean;
}

type Traits = Partial<Pick<EngineRow, 'last' | 'seed' | 'negative'>>;

function engine(
  model: string,
  lengths: EngineRow['lengths'],
  [standard, ...others]: [string, ...string[]],
  terms: [audio: EngineRow['audio'], rate: number, pictures: number, traits?: Traits],
): EngineRow {
  const [audio, rate, pictures, traits = {}] = terms;
  const unlessSaid = { last: false, seed: false, negative: false };
  const resolutions = [standard, ...others];
  return { model, lengths, resolutions, standard, audio, rate, pictures, ...unlessSaid, ...traits };
}

const FAMILY_TWO = [4, 6, 8] as const;
const frames = { last: true };
const seeded = { seed: true };
const both = { last: true, seed: true };
const directed = { last: true, negative: true };

export const ENGINES = {
  A: engine('vid_vyctfclc', [4, 30], ['720p', '480p'], ['native', 62, 6, both]),
  B: engine('vid_cged4l4k', FAMILY_TWO, ['720p', '1080p'], ['choice', 106, 3, both]),
  C: engine('vid_ui7tpjlx', [4, 20], ['720p', '1080p'], ['native', 80, 0]),
  D: engine('vid_m7p7aujh', [3, 15], ['720p'], ['choice', 45, 4, directed]),
  E: engine('vid_ixvmxiti', [4, 15], ['720p', '480p', '1080p'], ['native', 40, 6, both]),
  F: engine('vid_3gbdgau5', [5, 15], ['2k'], ['native', 35, 3, frames]),
  G: engine('vid_weghi3rr', [2, 10], ['720p'], ['none', 32, 1, seeded]),
  H: engine('vid_uzrhs2ob', FAMILY_TWO, ['720p', '1080p'], ['choice', 27, 3, both]),
  I: engine('vid_ysd64wc4', [3, 15], ['720p'], ['choice', 34, 4, directed]),
  J: engine('vid_vznzrq7a', [4, 15], ['720p', '480p'], ['native', 24, 6, both]),
  K: engine('vid_h5ndvco2', [5, 15], ['768p', '480p'], ['none', 22, 1, frames]),
  L: engine('vid_25ouwpzi', [1, 15], ['720p', '480p', '1080p'], ['none', 37, 1]),
  M: engine('vid_max5havc', [4, 15], ['720p', '480p'], ['native', 9, 6, both]),
  N: engine('vid_hirfgqos', FAMILY_TWO, ['720p', '1080p'], ['choice', 14, 1, both]),
  O: engine('vid_eh3rnwli', [2, 30], ['720p', '480p', '1080p'], ['native', 27, 4, seeded]),
} as const;

export type Label = keyof typeof ENGINES;

export const OWN = 'svc-motion-one';

/** The video is charged, and fails without a render: tests of prices and parameters need no image. */
export const UNRENDERED = 'a red boat [[fail]]';

export const VIDEOS = '/videos/generations';
