import type { Catalogue } from '../catalogue/catalogue.ts';
import { probeAudio } from '../render/audio-probe.ts';
import { type HeardLanguage, heardText } from '../render/placeholder-transcript.ts';
import { type InstantParts, instantWork } from './instant-work.ts';
import type { Paid, Payer } from './order.ts';
import type { Pipeline } from './pipeline.ts';

export interface TranscriptionParts extends InstantParts {
  pipeline: Pipeline;
  catalogue: Catalogue;
}

/**
 * Transcribes audio (`sha256` is hex): the text in the tags of the emulator's own audio, otherwise a text that depends on
 * the bytes and is as long as the audio. Throws `unsupported_media_type` or `invalid_request` for anything but a complete
 * WAV or MP3 file.
 */
export async function transcribe(
  parts: TranscriptionParts,
  model: string,
  audio: { bytes: Buffer; sha256: string; language: HeardLanguage | undefined },
  payer: Payer,
): Promise<Paid<string>> {
  const { credits } = parts.catalogue.model(model, 'transcription');
  const { text, seconds } = probeAudio(audio.bytes);
  const transcript = payer.scripted?.text ?? text ?? heardText(audio.sha256, seconds, audio.language);
  return parts.pipeline.run(
    {
      operation: 'audio.transcription',
      model,
      prices: [credits],
      directives: {},
      work: instantWork(parts, { directives: {}, payer }, () => transcript),
    },
    payer,
  );
}
