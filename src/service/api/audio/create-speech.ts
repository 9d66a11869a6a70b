import { z } from 'zod';
import { speechLines } from '../../../engine/catalogue/catalogue.ts';
import type { Directives } from '../../../engine/faults/directives.ts';
import type { Generation } from '../../../engine/generation/generation.ts';
import type { PaidResult, PayingCall } from '../../../engine/generation/order.ts';
import { type AwaitedRender, awaitedWork } from '../../../engine/generation/rendered-work.ts';
import { directedText, warnOfUnused } from '../../http/directed-text.ts';
import { codePoints, optionalText } from '../../http/input.ts';
import { operation } from '../../http/operation.ts';
import { Bytes } from '../../http/replies.ts';
import { modelOf } from '../usage-schema.ts';

export const speechRequest = z.object({
  input: directedText({ min: 1, max: 4096, choices: { empty: 'C135', long: 'C135' } }).describe(
    'the text to speak, 1 to 4,096 characters.',
  ),
  voice: z.enum(['aria', 'orion']).describe('aria or orion.'),
  model: optionalText(modelOf('speech')).describe('svc-voice-one, the default.'),
});

export function readSpeech({ input, voice }: z.output<typeof speechRequest>) {
  const { text, directives } = input;
  return { text, characters: codePoints(text), voice, directives };
}

export const createSpeech = operation({
  name: 'createSpeech',
  method: 'POST',
  path: '/v1/audio/speech',
  summary: 'Speaks a text as MP3: 3 credits per started 100 characters.',
  access: 'key',
  paid: 'audio.speech',
  body: speechRequest,
  ignorableFields: (body) => (body.response_format === 'mp3' ? ['response_format'] : []),
  answer: 'audio/mpeg',
  matchKey: ({ model, input }) => ({ model, message: input.text }),
  check: ({ context, body }) => void context.generation.catalogue.chosen(body.model, 'speech'),
  async handle(call) {
    const { body, context } = call;
    const model = context.generation.catalogue.chosen(body.model, 'speech');
    const order = readSpeech(body);
    warnOfUnused(call, 'input', order.directives);
    const { result, usage } = await renderSpeech(context.generation, model, order, call);
    call.header('svc-emulator-credits-spent', usage.credits_spent);
    call.header('svc-emulator-credits-remaining', usage.credits_remaining);
    return new Bytes(await context.storage.served.read(result.file.file), 'audio/mpeg');
  },
});

export interface SpeechOrder {
  text: string;
  /** The price depends on the number of code points. */
  characters: number;
  voice: 'aria' | 'orion';
  directives: Directives;
}

export function renderSpeech(
  generation: Generation,
  model: string,
  order: SpeechOrder,
  payer: PayingCall,
): Promise<PaidResult<AwaitedRender>> {
  const { pipeline, catalogue } = generation;
  const { text, characters, voice, directives } = order;
  const take = {
    parameters: { input: text, voice },
    render: { kind: 'speech' as const, model, text, voice },
  };
  return pipeline.run(
    {
      operation: 'audio.speech',
      model,
      lines: speechLines(catalogue.model(model, 'speech'), characters),
      directives,
      work: awaitedWork(generation, { medium: 'speech', model, store: false, takes: [take], directives }, payer),
    },
    payer,
  );
}
