import type { ChoiceId } from '../base/errors.ts';

export interface ProbedAudio {
  format: 'wav' | 'mp3';
  seconds: number;
  text?: string;
}

/** `fault` completes the sentence "The audio file cannot be read:". */
export interface AudioFault {
  fault: string;
  choice?: ChoiceId;
}
