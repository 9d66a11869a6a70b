import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { invalidRequestError } from '../../base/errors.ts';
import { packageDataFolder } from '../../base/package/package-folder.ts';
import { countCodePoints, emptyTextAsMissing, optional, text } from '../../base/schemas.ts';
import { type Catalogue, speechPriceLines, transcriptionPriceLines } from '../../engine/catalogue/catalogue.ts';
import { chargeAndExecute } from '../../engine/generation/instant-work.ts';
import {
  type GenerationContext,
  orderAndAwaitRender,
  type PaidResult,
  type Payer,
  type RenderPurchase,
} from '../../engine/generation/place-order.ts';
import { probeAudio } from '../../media/audio-probe.ts';
import { SeededRandom, seededHash } from '../../media/paint/seeded-random.ts';
import { textWithDirectives, warnOfUnusedDirectives } from '../http/directed-text.ts';
import { packFieldWithReason } from '../http/field-list.ts';
import { creditUsageSchema, modelIdSchema } from '../http/input.ts';
import { defineOperation } from '../http/operation.ts';
import { BytesReply } from '../http/replies.ts';
import type { Upload } from '../http/upload.ts';

export const speechRequestSchema = z.object({
  input: textWithDirectives({ min: 1, max: 4096, choices: { empty: 'C135', long: 'C135' } }).describe(
    'the text to speak, 1 to 4,096 characters.',
  ),
  voice: z.enum(['aria', 'orion']).describe('aria or orion.'),
  model: emptyTextAsMissing(modelIdSchema('speech')).describe('svc-voice-one, the default.'),
});

export function toSpeechSettings({ input, voice }: z.output<typeof speechRequestSchema>) {
  const { text, directives } = input;
  return { text, characters: countCodePoints(text), voice, directives };
}

export const createSpeech = defineOperation({
  name: 'createSpeech',
  method: 'POST',
  path: '/v1/audio/speech',
  summary: 'Converts a text to speech (MP3): 3 credits per 100 characters, rounded up.',
  access: 'key',
  paid: 'audio.speech',
  body: speechRequestSchema,
  neutral: { response_format: ['mp3'], speed: [1], stream_format: ['audio'] },
  answer: 'audio/mpeg',
  matchValues: ({ model, input }) => ({ model, message: input.text }),
  checkBeforeFaults: ({ context, body }) => void context.generation.catalogue.chosen(body.model, 'speech'),
  async handle(call) {
    const { body, context } = call;
    const model = context.generation.catalogue.chosen(body.model, 'speech');
    const settings = toSpeechSettings(body);
    warnOfUnusedDirectives(call, 'input', settings.directives);
    const { result, usage } = await orderAndAwaitRender(
      context.generation,
      speechPurchase(context.generation.catalogue, model, settings),
      call,
    );
    call.header('svc-emulator-credits-spent', usage.credits_spent);
    call.header('svc-emulator-credits-remaining', usage.credits_remaining);
    return new BytesReply(await context.storage.served.read(result.file.name), 'audio/mpeg');
  },
});

export function speechPurchase(
  catalogue: Catalogue,
  model: string,
  { text, characters, voice, directives }: ReturnType<typeof toSpeechSettings>,
): RenderPurchase {
  const render = {
    parameters: { input: text, voice },
    request: { kind: 'speech' as const, model, text, voice },
  };
  return {
    operation: 'audio.speech',
    medium: 'speech',
    model,
    lines: speechPriceLines(catalogue.model(model, 'speech'), characters),
    store: false,
    renders: [render],
    directives,
  };
}

const TRANSCRIPT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'] as const;

type HeardLanguage = (typeof TRANSCRIPT_LANGUAGES)[number];

const transcriptionFields = z.object({
  model: emptyTextAsMissing(modelIdSchema('transcription')).describe('svc-scribe-one, the default.'),
  language: optional(text({ max: 35 })).describe(`an ISO language code, such as ${TRANSCRIPT_LANGUAGES.join(', ')}.`),
});

export const createTranscription = defineOperation({
  name: 'createTranscription',
  method: 'POST',
  path: '/v1/audio/transcriptions',
  summary: 'Transcribes a WAV or MP3 file: 5 credits.',
  access: 'key',
  paid: 'audio.transcription',
  upload: 'file',
  body: transcriptionFields,
  neutral: { response_format: ['json'], temperature: [0] },
  answer: z.strictObject({ model: z.string(), text: z.string(), usage: creditUsageSchema }),
  matchValues: ({ model }) => ({ model, message: undefined }),
  async checkBeforeFaults({ context, body, file }) {
    context.generation.catalogue.chosen(body.model, 'transcription');
    probeAudio(await readFile(requireFile(file).scratchPath));
  },
  async handle(call) {
    const { body, context, file } = call;
    const model = context.generation.catalogue.chosen(body.model, 'transcription');
    const language = body.language === undefined ? undefined : transcriptLanguage(body.language);
    if (body.language !== undefined && !language) call.warn(packFieldWithReason('language', 'unsupported'));
    const { scratchPath, sha256 } = requireFile(file);
    const audio = { bytes: await readFile(scratchPath), sha256, language };
    const { result, usage: spent } = await transcribe(context.generation, model, audio, call);
    return { model, text: result, usage: spent };
  },
});

function requireFile(file: Upload | undefined): Upload {
  if (file) return file;
  throw invalidRequestError('file', 'file is missing. Send a WAV or MP3 file.');
}

async function transcribe(
  generation: GenerationContext,
  model: string,
  audio: { bytes: Buffer; sha256: string; language: HeardLanguage | undefined },
  payer: Payer,
): Promise<PaidResult<string>> {
  const { text, seconds } = probeAudio(audio.bytes);
  const transcript = payer.scripted?.text ?? text ?? inventTranscript(audio.sha256, seconds, audio.language);
  const lines = transcriptionPriceLines(generation.catalogue.model(model, 'transcription'));
  const purchase = { operation: 'audio.transcription' as const, model, lines, directives: {} };
  return chargeAndExecute(generation, purchase, payer, () => transcript);
}

interface WordBank {
  openings: string[];
  cores: string[];
  endings: string[];
}

const WORDS_PER_SECOND = 2.5;
const MAX_WORDS = 20_000;
const SHARE_WITH_OPENING = 0.4;
const SHARE_WITH_ENDING = 0.7;

function transcriptLanguage(hint: string): HeardLanguage | undefined {
  const code = hint.trim().toLowerCase().split(/[-_]/)[0];
  return TRANSCRIPT_LANGUAGES.find((language) => language === code);
}

/** Invents a transcript for audio in which no text is stored [I069]. */
function inventTranscript(sha256: string, seconds: number, language: HeardLanguage = 'en'): string {
  const words = Math.min(MAX_WORDS, Math.max(1, Math.round(seconds * WORDS_PER_SECOND)));
  const bank = readBank(language);
  const dice = new SeededRandom(seededHash(`${sha256} ${language}`));
  const sentences: string[] = [];
  for (let left = words; left > 0; ) {
    const sentence = composeSentence(bank, dice).split(' ').slice(0, left);
    left -= sentence.length;
    sentences.push(finish(sentence.join(' ')));
  }
  return sentences.join(' ');
}

function composeSentence(bank: WordBank, dice: SeededRandom): string {
  const opening = dice.chance(SHARE_WITH_OPENING) ? `${dice.pick(bank.openings)} ` : '';
  const core = dice.pick(bank.cores);
  const ending = dice.chance(SHARE_WITH_ENDING) ? ` ${dice.pick(bank.endings)}` : '';
  return `${opening}${core}${ending}`;
}

function finish(sentence: string): string {
  const [first = ''] = sentence;
  return `${first.toUpperCase()}${sentence.slice(first.length).replace(/[,;:]$/, '')}.`;
}

function readBank(language: HeardLanguage): WordBank {
  const file = path.join(packageDataFolder(), 'heard', `${language}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as WordBank;
}
