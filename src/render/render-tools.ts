import type { Ffmpeg } from './ffmpeg.ts';

/** What a render engine is given to work with, inside a worker. */
export interface RenderTools {
  /** The one door to ffmpeg; runs are queued, two children at a time. */
  ffmpeg: Ffmpeg;
  /** Aborts when the render is cancelled; check it between long steps. */
  signal: AbortSignal;
  /** Takes the share done, 0 to 1. */
  onProgress: (share: number) => void;
  /** A folder of this worker's process for prepared parts that are costly to make; it may vanish between runs. */
  scratchFolder: string;
}
