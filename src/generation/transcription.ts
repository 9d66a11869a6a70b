import type { Catalogue } from '../catalogue/catalogue.ts';
import { probeAudio } from '../render/audio-probe.ts';
import { type HeardLanguage, heardText } from '../render/placeholder-transcript.ts';
import { type InstantParts, instantWork } from './instant-work.ts';
import type { Paid, Payer } from './order.ts';
import type { OwnSound } from './own-sound.ts';
import type { Pipeline } from './pipeline.ts';

export interface TranscriptionParts extends InstantParts {
  ownSound: OwnSound;
  pipeline: Pipeline;
  catalogue: Catalogue;
}

/**
 * Writes down what is heard (`sha256` is hex): the text that audio of our own carries in its tags, or that of the render
 * it sounds like, else a text that depends on the bytes and is as long as the audio. Throws `unsupported_media_type` or `invalid_request` for what is no whole WAV or MP3.
 */
export async function transcribe(
  parts: TranscriptionParts,
  model: string,
  audio: { bytes: Buffer; sha256: string; language: HeardLanguage | undefined },
  payer: Payer,
): Promise<Paid<string>> {
  const { credits } = parts.catalogue.model(model, 'transcription');
  const { text, seconds } = probeAudio(audio.bytes);
  const known = payer.scripted?.text ?? text ?? (await parts.ownSound.textOf(audio.bytes, seconds));
  const heard = known ?? heardText(audio.sha256, seconds, audio.language);
  return parts.pipeline.run(
    {
      operation: 'audio.transcription',
      model,
      prices: [credits],
      directives: {},
      work: instantWork(parts, { directives: {}, payer }, () => heard),
    },
    payer,
  );
}
