import { renderSpeech } from '../../generation/speech.ts';
import { operation } from '../../http/operation.ts';
import { Bytes } from '../../http/reply.ts';
import { warnOfUnused } from '../../http/unused-directives.ts';
import { readSpeech, speechRequest } from './speech-schema.ts';

export const createSpeech = operation({
  name: 'createSpeech',
  method: 'POST',
  path: '/v1/audio/speech',
  summary: 'Speaks a text as MP3: 3 credits per started 100 characters.',
  access: 'key',
  paid: 'audio.speech',
  body: speechRequest,
  harmless: (body) => (body.response_format === 'mp3' ? ['response_format'] : []),
  answer: 'audio/mpeg',
  asked: ({ model, input }) => ({ model, message: input.text }),
  check: ({ context, body }) => void context.catalogue.chosen(body.model, 'speech'),
  async handle(call) {
    const { body, context } = call;
    const model = context.catalogue.chosen(body.model, 'speech');
    const order = readSpeech(body);
    warnOfUnused(call, 'input', order.directives);
    const { result, usage } = await renderSpeech(context, model, order, call);
    call.header('svc-emulator-credits-spent', usage.credits_spent);
    call.header('svc-emulator-credits-remaining', usage.credits_remaining);
    return new Bytes(await context.served.read(result.file.file), 'audio/mpeg');
  },
});
