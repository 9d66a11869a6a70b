import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI, { APIError, toFile } from 'openai';
import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';

const emulator = await world();
const messages = [{ role: 'user' as const, content: 'Hello there.' }];
const order = { model: 'svc-rp-plus', messages };

/** An openai client of a new account that does not retry. */
async function client(credits = 50) {
  const account = await emulator.account({ credits });
  const baseURL = `${emulator.url}/v1`;
  return { account, baseURL, openai: new OpenAI({ baseURL, apiKey: account.key, maxRetries: 0 }) };
}

it('gives the openai client the same reply with and without streaming, and a request id [R017 R144 I037 I161]', async () => {
  const { openai, account } = await client();
  const whole = await openai.chat.completions.create(order);
  const stream = openai.chat.completions.stream({
    ...order,
    stream_options: { include_usage: true },
  });
  const final = await stream.finalChatCompletion();
  expect(whole.choices[0]?.message).toEqual({ role: 'assistant', content: expect.stringMatching(/\w/) });
  expect(whole._request_id).toMatch(/^req_\w+$/);
  expect(final.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
  expect(final.choices[0]?.finish_reason).toBe('stop');
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3']);
});

it.each<[string, object, string | null, number, string, string?]>([
  ['BadRequestError', { temperature: 9 }, 'temperature', 400, 'invalid_request'],
  ['NotFoundError', { model: 'gpt-4o' }, 'model', 404, 'model_not_found'],
  ['AuthenticationError', {}, null, 401, 'invalid_api_key', 'svc_sk_nobody'],
  ['APIError', {}, null, 402, 'insufficient_credits'],
])(
  'makes the openai client throw its %s for a request with %j ({}: with an unknown key or too few credits) [I006 R206 R235]',
  async (...row) => {
    const [name, more, param, status, code, apiKey] = row;
    const { openai, account } = await client(2);
    const asked = openai.withOptions({ apiKey: apiKey ?? account.key });
    const thrown = await asked.chat.completions.create({ ...order, ...more }).catch((error) => error);
    expect(thrown).toBeInstanceOf(APIError);
    expect(thrown).toMatchObject({ status, code, param, requestID: expect.stringMatching(/^req_/) });
    expect(thrown.constructor.name).toBe(name);
    expect(await account.ledger()).toEqual(['grant 2']);
  },
);

it('serves images, speech, transcriptions and models to the openai client [R032]', async () => {
  const { openai, account } = await client();
  const image = await openai.images.generate({ prompt: 'a lighthouse at dusk' });
  expect(
    Buffer.from(image.data?.[0]?.b64_json ?? '', 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
  const voice = { model: 'svc-voice-one', voice: 'aria', input: 'Hello there.' };
  const speech = await openai.audio.speech.create(voice);
  const file = await toFile(speech, 'hello.mp3');
  const heard = await openai.audio.transcriptions.create({ file, model: 'svc-scribe-one' });
  expect(heard.text).toBe('Hello there.');
  const models = await openai.models.list();
  expect(models.data.map(({ id }) => id)).toContain('svc-rp-plus');
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10', 'charge -3', 'charge -5']);
});

it('gives the client of the ai package the same reply with and without streaming [R144 I037]', async () => {
  const { account, baseURL } = await client();
  const provider = createOpenAICompatible({ name: 'svc', baseURL, apiKey: account.key });
  const request = { model: provider('svc-rp-plus'), messages, maxRetries: 0 };
  const { text, finishReason } = await generateText(request);
  const stream = streamText(request);
  expect(await stream.text).toBe(text);
  expect([finishReason, await stream.finishReason]).toEqual(['stop', 'stop']);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3']);
});
