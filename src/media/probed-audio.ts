import type { ChoiceId } from '../base/errors.ts';

export interface ProbedAudio {
  format: 'wav' | 'mp3';
  seconds: number;
  /** The spoken words or the lyrics in the tag of an emulator's file, empty for an instrumental. */
  text?: string;
}

/** `fault` completes the sentence "The audio file cannot be read:". */
export interface AudioFault {
  fault: string;
  choice?: ChoiceId;
}
