import { FRAMES_PER_SECOND } from './clip-layout.ts';

/** A stretch of frames that all point at one key picture. */
export interface Stretch {
  from: number;
  frames: number;
  /** Whether it is the given last picture that is shown, alone and without a move. */
  isLast?: boolean;
}

/** What a clip is made of, in frames. */
export interface Storyboard {
  frames: number;
  /** Frames from one key picture to the next. */
  step: number;
  stretches: Stretch[];
}

/** Key pictures at most, and how far apart they are until then; each costs as much as hundreds of other frames. */
const MOST_KEYS = 3;
const SECONDS_APART = 5;
/** For so many frames a given last picture is shown. */
const LAST = 18;

/** `given` says whether a picture begins the clip, and whether one ends it; the first is shown alone, without the slate. */
export function planStoryboard(seconds: number, given: { begins: boolean; ends: boolean }): Storyboard {
  const frames = seconds * FRAMES_PER_SECOND;
  const moving = frames - (given.ends ? Math.min(LAST, Math.floor(frames / 3)) : 0);
  const keys = Math.min(MOST_KEYS, Math.ceil(seconds / SECONDS_APART));
  const step = Math.ceil(moving / keys);
  const alone = given.begins ? 1 : 0;
  const stretches: Stretch[] = given.begins ? [{ from: 0, frames: alone }] : [];
  for (let from = alone; from < moving; from += step) {
    stretches.push({ from, frames: Math.min(step, moving - from) });
  }
  if (given.ends) stretches.push({ from: moving, frames: frames - moving, isLast: true });
  return { frames, step, stretches };
}

/** All pictures of a clip in the order of decoding. */
export interface ClipFrames {
  samples: Buffer[][];
  keys: number[];
}
