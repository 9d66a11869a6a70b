import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { invalid } from '../../../base/errors.ts';
import { transcriptionLines } from '../../../engine/catalogue/catalogue.ts';
import type { Generation } from '../../../engine/generation/generation.ts';
import { instantWork } from '../../../engine/generation/instant-work.ts';
import type { PaidResult, PayingCall } from '../../../engine/generation/order.ts';
import { probeAudio } from '../../../media/audio-probe.ts';
import {
  HEARD_LANGUAGES,
  type HeardLanguage,
  heardLanguage,
  heardText,
} from '../../../media/placeholder-transcript.ts';
import { withReason } from '../../http/field-list.ts';
import { optional, optionalText, text } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import type { Upload } from '../../http/upload.ts';
import { modelOf, usage } from '../usage-schema.ts';

const transcriptionFields = z.object({
  model: optionalText(modelOf('transcription')).describe('svc-scribe-one, the default.'),
  language: optional(text({ max: 35 })).describe(`an ISO language code, such as ${HEARD_LANGUAGES.join(', ')}.`),
});

export const createTranscription = operation({
  name: 'createTranscription',
  method: 'POST',
  path: '/v1/audio/transcriptions',
  summary: 'Writes down what a WAV or MP3 file says: 5 credits.',
  access: 'key',
  paid: 'audio.transcription',
  upload: 'file',
  body: transcriptionFields,
  ignorableFields: (body) => (body.response_format === 'json' ? ['response_format'] : []),
  answer: z.strictObject({ model: z.string(), text: z.string(), usage }),
  matchKey: ({ model }) => ({ model, message: undefined }),
  async check({ context, body, file }) {
    context.generation.catalogue.chosen(body.model, 'transcription');
    probeAudio(await readFile(requireFile(file).scratchPath));
  },
  async handle(call) {
    const { body, context, file } = call;
    const model = context.generation.catalogue.chosen(body.model, 'transcription');
    const language = body.language === undefined ? undefined : heardLanguage(body.language);
    if (body.language !== undefined && !language) call.warn(withReason('language', 'unsupported'));
    const { scratchPath, sha256 } = requireFile(file);
    const audio = { bytes: await readFile(scratchPath), sha256, language };
    const { result, usage: spent } = await transcribe(context.generation, model, audio, call);
    return { model, text: result, usage: spent };
  },
});

function requireFile(file: Upload | undefined): Upload {
  if (file) return file;
  throw invalid('file', 'file is missing. Send a WAV or MP3 file.');
}

/**
 * Returns the text in the tags of the emulator's own audio. Otherwise the text depends on the bytes and the length.
 * Throws `unsupported_media_type` or `invalid_request` unless the file is a complete WAV or MP3. `sha256` is hex.
 */
export async function transcribe(
  generation: Generation,
  model: string,
  audio: { bytes: Buffer; sha256: string; language: HeardLanguage | undefined },
  payer: PayingCall,
): Promise<PaidResult<string>> {
  const { text, seconds } = probeAudio(audio.bytes);
  const transcript = payer.scripted?.text ?? text ?? heardText(audio.sha256, seconds, audio.language);
  return generation.pipeline.run(
    {
      operation: 'audio.transcription',
      model,
      lines: transcriptionLines(generation.catalogue.model(model, 'transcription')),
      directives: {},
      work: instantWork(generation, { directives: {}, payer }, () => transcript),
    },
    payer,
  );
}
