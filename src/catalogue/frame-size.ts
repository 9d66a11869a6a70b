import type { Resolution } from './catalogue-file.ts';

export const ASPECTS = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9'] as const;

export type Aspect = (typeof ASPECTS)[number];

/** Pixels of the short side. */
const SHORT_SIDE: Record<Resolution, number> = {
  '480p': 480,
  '720p': 720,
  '768p': 768,
  '1080p': 1080,
  '2k': 1440,
};

/** Pixels of a frame: the resolution is its short side, the long one follows from the aspect, to the nearest even number. */
export function frameSize(resolution: Resolution, aspect: Aspect): { width: number; height: number } {
  const short = SHORT_SIDE[resolution];
  const [across = 1, down = 1] = aspect.split(':').map(Number);
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across >= down ? { width: long, height: short } : { width: short, height: long };
}
