import type { ChoiceId } from '../base/errors.ts';

/** What an uploaded sound file is. */
export interface ProbedAudio {
  format: 'wav' | 'mp3';
  /** Real length, from the structure of the file. */
  seconds: number;
  /** What the tags of a file of ours carry: the words spoken, or the lyrics (empty for an instrumental). */
  text?: string;
}

/** Why a file that looks like audio cannot be read: the second half of a sentence. */
export interface AudioFault {
  fault: string;
  /** The choice by which it is refused, if the service leaves that open. */
  choice?: ChoiceId;
}
