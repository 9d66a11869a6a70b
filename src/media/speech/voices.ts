import type { SpeechRequest } from '../render-request.ts';

/** What makes one speaker sound unlike another. */
export interface Voice {
  /** Hertz of the middle of its range. */
  pitch: number;
  /** How high the resonances of its mouth lie, beside the table's. */
  mouth: number;
  /** How far its pitch moves, as a factor. */
  liveliness: number;
  /** How much breath is in the voice. */
  breath: number;
  /** How long its sounds last, as a factor. */
  pace: number;
  /** Share of each period in which the throat is open: more is softer. */
  open: number;
  /** What brings it to an even level, pauses left out. */
  gain: number;
}

/** `aria` is bright and lively, `orion` low and calm. */
export const VOICES: Record<SpeechRequest['voice'], Voice> = {
  aria: {
    pitch: 208,
    mouth: 1.17,
    liveliness: 1.25,
    breath: 0.045,
    pace: 0.96,
    open: 0.66,
    gain: 0.27,
  },
  orion: {
    pitch: 104,
    mouth: 0.95,
    liveliness: 0.85,
    breath: 0.015,
    pace: 1.06,
    open: 0.52,
    gain: 0.33,
  },
};
