import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { readCalls } from '../../src/check/service/recorded-calls.ts';
import { listening } from '../check/service/stand-in.ts';
import { type Sent, send, startRecorder } from './recorder.ts';

const secrets: string[] = [];
/** Another secret for each place; what is sent has it once more in a query that the service echoes. */
function secret(): string {
  const made = `Zq${secrets.length}w${(secrets.length + 11) * 7919}`;
  secrets.push(made);
  return made;
}
/** A secret of digits alone. */
function digits(): number {
  const made = 48_151_623_000 + secrets.length * 1_000_003;
  secrets.push(String(made));
  return made;
}

const BASE64 = (text: string) => Buffer.from(text).toString('base64');
const JSON_TYPE = { 'content-type': 'application/json' };
const CHAT = '/v1/chat/completions';
const post = (body: unknown, path = CHAT): Sent => ({
  method: 'POST',
  path,
  headers: JSON_TYPE,
  body: JSON.stringify(body),
});
const headed = (headers: Record<string, string>): Sent => ({ path: '/v1/models', headers });
const multipart = (body: string): Sent => ({
  method: 'POST',
  path: '/v1/audio/transcriptions',
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
  body: `--b\r\n${body}\r\n--b--\r\n`,
});
const deep = (levels: number, inside: unknown): unknown => (levels === 0 ? inside : { n: deep(levels - 1, inside) });

/** By the place of the secret in a request. */
const REQUESTS: Record<string, Sent> = {
  'a bearer key': headed({ authorization: `Bearer ${secret()}` }),
  'a basic key': headed({ authorization: `Basic ${secret()}` }),
  'x-auth': headed({ 'x-auth': secret() }),
  'x-api-key': headed({ 'x-api-key': secret() }),
  'a proxy key': headed({ 'proxy-authorization': secret() }),
  'a cookie': headed({ cookie: `session=${secret()}` }),
  'user-agent': headed({ 'user-agent': `shop/${secret()}` }),
  'idempotency-key': headed({ 'idempotency-key': secret() }),
  'the name of a header': headed({ [`x-${secret().toLowerCase()}`]: '1' }),
  'a parameter of a media type': headed({ 'content-type': `application/json; v=${secret()}` }),
  'a media type': headed({ 'content-type': `application/${secret()}` }),
  'an encoding': headed({ 'content-encoding': secret() }),
  'a request id': headed({ 'x-request-id': secret() }),
  'sig of its own path': { path: `/v1/models?sig=${secret()}` },
  'a token in the query': { path: `/v1/models?token=${secret()}` },
  'a known name in the query': { path: `/v1/webhooks?after=${secret()}` },
  'a number in the query': { path: `/v1/webhooks?limit=${digits()}` },
  'the name of a query': { path: `/v1/models?${secret()}=1` },
  'an id in the path': { path: `/v1/music/generations/job_${secret()}` },
  'an id without a prefix': { path: `/v1/music/generations/${secret()}` },
  'another path': { path: `/v1/${secret()}/models` },
  'a path beside the interface': { path: `/admin/${secret()}` },
  'a parameter of a path': { path: `/v1/webhooks/we_1;session=${secret()}` },
  'a fragment': { path: `/v1/models#${secret()}` },
  'a prompt': post({ model: 'svc-rp-mini', messages: [{ role: 'user', content: `I am ${secret()}` }] }),
  'a value below a secret name': post({ token: { value: secret() } }),
  'JSON inside a text': post({ input: JSON.stringify({ password: secret() }) }),
  'the key of an object': post({ context: { [secret()]: 1 } }),
  'a key among known ones': post({ prompt: 'x', [secret()]: { n: 1 } }),
  'a number below another name': post({ pin: digits() }),
  'a number of the interface': post({ seed: digits() }),
  'a number that measures': post({ n: digits() }),
  'a list': post({ events: [secret()] }),
  'a signed URL': post({ image_url: `https://cdn.example.com/a?X-Sig=${secret()}` }),
  'the user of a URL': post({ url: `https://bob:${secret()}@example.com/hook` }),
  'the host of a URL': post({ url: `https://${secret().toLowerCase()}.example.com/hook` }),
  'the path of a URL': post({ url: `https://example.com/${secret()}` }),
  'a URL inside a sentence': post({ prompt: `see https://example.com/?k=${secret()} for more` }),
  'a short JWT': post({ prompt: `eyJhbGciOiJub25lIn0.${secret()}.` }),
  'a data URL': post({ image_url: `data:text/plain,${secret()}` }),
  'a model': post({ model: secret() }),
  'a key of the service': post({ prompt: `svc_sk_${secret()}` }),
  'a signing secret': post({ secret: `whsec_${secret()}` }),
  'a deep value': post(deep(150, secret())),
  __proto__: { ...post({}), body: `{"__proto__":{"content":"${secret()}"}}` },
  'a body that is cut': { ...post({}), body: `{"prompt":"${secret()}` },
  'a packed body': {
    ...post({}),
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip' },
    body: gzipSync(JSON.stringify({ prompt: secret() })),
  },
  'the name of a file': multipart(`content-disposition: form-data; name="file"; filename="${secret()}.wav"\r\n\r\nx`),
  'a field of a form': multipart(`content-disposition: form-data; name="language"\r\n\r\n${secret()}`),
  'the name of such a field': multipart(`content-disposition: form-data; name="${secret()}"\r\n\r\nx`),
  'a plain form': {
    ...post({}),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `password=${secret()}`,
  },
  'a plain text': { ...post({}), headers: { 'content-type': 'text/plain' }, body: secret() },
};

const reply =
  (body: string | Buffer, headers: Record<string, string> = JSON_TYPE, status = 200) =>
  (to: ServerResponse): void =>
    void to.writeHead(status, headers).end(body);
const replyJson = (body: unknown, status = 200) => reply(JSON.stringify(body), JSON_TYPE, status);
const EVENTS = { 'content-type': 'text/event-stream' };

/** By the place of the secret in an answer. */
const ANSWERS: Record<string, (to: ServerResponse) => void> = {
  'a message': replyJson(
    { error: { code: 'invalid_api_key', message: `The key ${secret()} is unknown`, type: 'x' } },
    401,
  ),
  'a code': replyJson({ error: { code: secret(), message: '', type: 'api_error' } }, 400),
  'a type': replyJson({ error: { code: 'conflict', message: '', type: secret() } }, 400),
  'a param': replyJson(
    { error: { code: 'conflict', message: '', type: 'api_error', param: `messages.${secret()}` } },
    400,
  ),
  'a word of a job': replyJson({ id: 'job_1234567', status: secret() }),
  'an id': replyJson({ id: `job_${secret()}`, object: 'music.generation', usage: { credits_spent: 12 } }),
  'an id of another kind': replyJson({ id: `zz_${secret()}`, library_id: secret() }),
  'a result': replyJson({ result_url: `https://cdn.example.com/cdn/a.mp3?exp=1&sig=${secret()}` }),
  'the secret of an endpoint': replyJson({ id: 'we_1234567', secret: `whsec_${BASE64(secret())}` }),
  'a balance': replyJson({ credits: digits() }),
  'data of a stream': reply(`data: {"choices":[{"delta":{"content":"${secret()}"}}]}\n\ndata: [DONE]\n\n`, EVENTS),
  'plain data of a stream': reply(`data: ${secret()}\n\n`, EVENTS),
  'the name of an event': reply(`event: ${secret()}\ndata: {}\n\n`, EVENTS),
  'the id of an event': reply(`id: ${secret()}\n\n`, EVENTS),
  'a comment of a stream': reply(`: ${secret()}\n\n`, EVENTS),
  'a field of a stream': reply(`${secret()}: x\n\n`, EVENTS),
  'a cookie that is set': reply('{}', { ...JSON_TYPE, 'set-cookie': `s=${secret()}` }),
  'the goal of a redirect': reply('', { location: `https://example.com/?k=${secret()}` }, 302),
  'an id of requests': reply('{}', { ...JSON_TYPE, 'x-request-id': secret() }),
  'a warning': reply('{}', { ...JSON_TYPE, 'svc-emulator-warnings': secret() }),
  'the name of a header of the answer': reply('{}', { ...JSON_TYPE, [`x-${secret().toLowerCase()}`]: '1' }),
  'a reason': (to) => void to.writeHead(200, secret(), JSON_TYPE).end('{}'),
  'a page': reply(`<p>${secret()}</p>`, { 'content-type': 'text/html' }),
  'a packed answer': reply(brotliCompressSync(JSON.stringify({ text: secret() })), {
    ...JSON_TYPE,
    'content-encoding': 'br',
  }),
  'a cut answer': reply(`{"text":"${secret()}`),
  'a file': reply(`ID3${secret()}`, { 'content-type': 'audio/mpeg' }),
  'hexadecimal digits': replyJson({ id: 'x', text: Buffer.from(secret()).toString('hex') }),
  base64: replyJson({ data: [{ b64_json: BASE64(`${'.'.repeat(60)}${secret()}`) }] }),
  'a trailer': (to) => {
    to.writeHead(200, { ...JSON_TYPE, trailer: 'x-last' }).write('{}');
    to.addTrailers({ 'x-last': secret() });
    to.end();
  },
};

it('writes none of more than 60 secrets of requests and answers, and passes them on', async () => {
  const passed: string[] = [];
  const answers = Object.values(ANSWERS);
  async function answer(from: IncomingMessage, to: ServerResponse) {
    const body = await text(from);
    const sent = from.headers['content-encoding'] === 'gzip' ? '' : body;
    passed.push([from.url, from.rawHeaders.join('\n'), sent].join('\n'));
    const [, at] = /^\/v1\/account\?limit=(\d+)$/.exec(from.url ?? '') ?? [];
    if (at === undefined) return reply('{}')(to);
    answers[Number(at)]?.(to);
  }
  const recorder = await startRecorder(await listening((from, to) => void answer(from, to)));
  for (const request of Object.values(REQUESTS)) await send(recorder.url, request);
  const got: string[] = [];
  for (const at of answers.keys()) {
    const { body, headers } = await send(recorder.url, { path: `/v1/account?limit=${at}` });
    got.push(JSON.stringify(headers) + body);
  }
  const { text: recorded, said, lines } = await recorder.stop();

  const count = Object.keys(REQUESTS).length + answers.length;
  expect(count).toBeGreaterThan(75);
  expect(lines).toHaveLength(count);
  const written = `${recorded}\n${said}\n${decodeURIComponent(recorded)}`.toLowerCase();
  const spelled = (each: string) => [each, BASE64(each), Buffer.from(each).toString('hex')].map((s) => s.toLowerCase());
  expect(secrets.filter((each) => spelled(each).some((form) => written.includes(form)))).toEqual([]);
  // Each of them came by: of the requests at the service, of the answers at the client.
  const there = passed.join('\n');
  expect(there).toContain('pin":48');
  expect(
    secrets.filter((each) => (there + got.join('\n')).toLowerCase().includes(each.toLowerCase())).length,
  ).toBeGreaterThan(65);
  // What the contract names is left, by which a recording is of use.
  expect(recorded).toContain('\\"credits_spent\\":12');
  expect(recorded).toContain('\\"code\\":\\"invalid_api_key\\"');
  expect(recorded).toContain('\\"model\\":\\"svc-rp-mini\\"');
  expect(recorded).toContain('https://host.invalid/…?sig=…');
  expect(
    readCalls(recorder.file, recorded).filter(({ operation }) => operation === 'createChatCompletion').length,
  ).toBeGreaterThan(20);
});
