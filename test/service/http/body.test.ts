import { expect, it } from 'vitest';
import { journalled } from '../../support/striking.ts';
import { CHAT, exchange, expectError, socketTo } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const JSON_TYPE = { 'content-type': 'application/json' };

it.each([
  ['nothing', ''],
  ['half of an object', '{"model":'],
  ['no JSON', 'model=svc-rp-mini'],
  ['a trailing comma', '{"model":"svc-rp-mini",}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['an array', '[]'],
  ['a string', '"hello"'],
  ['null', 'null'],
])('refuses %s as a body, with a null param [I005 I101]', async (_name, body) => {
  const account = await emulator.account();
  const answer = await account.post('/chat/completions', body, JSON_TYPE);
  expect(expectError(answer, 400, 'invalid_request').param).toBeNull();
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['no type', {}],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a text', { 'content-type': 'text/plain;charset=UTF-8' }],
  ['a compressed body', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
])('refuses %s with a 415 that says what to send [I015 I101]', async (_name, headers) => {
  const account = await emulator.account();
  const body = Buffer.from(JSON.stringify(CHAT));
  const error = expectError(await account.post('/chat/completions', body, headers), 415, 'unsupported_media_type');
  expect(error.message).toMatch(/Content-(Type: application\/json|Encoding)/);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
  'reads a body of the type %s [I015]',
  async (type) => {
    const account = await emulator.account();
    const body = Buffer.from(JSON.stringify(CHAT));
    const answer = await account.post('/chat/completions', body, { 'content-type': type });
    expect(answer.status).toBe(200);
  },
);

it('takes a JSON body of 32 MiB and refuses one byte more with 413 [I014]', async () => {
  const account = await emulator.account();
  const text = JSON.stringify(CHAT);
  const full = Buffer.alloc(32 * 1_048_576, ' ');
  full.write(text);
  expect((await account.post('/chat/completions', full, JSON_TYPE)).status).toBe(200);
  const over = Buffer.concat([full, Buffer.from(' ')]);
  expectError(await account.post('/chat/completions', over, JSON_TYPE), 413, 'payload_too_large');
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('answers a body that ends before its length with a 400, charging nothing [I005 I006]', async () => {
  const account = await emulator.account();
  const sent = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${account.key}\r\n\
content-type: application/json\r\ncontent-length: 999\r\n\r\n${JSON.stringify(CHAT)}`;
  const answer = await exchange(emulator, sent);
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: req_[\s\S]*"invalid_request"/);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['no HTTP', 'HELLO\r\n\r\n', 400],
  ['no Host', 'GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ['headers over 16 KiB', `GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
])('answers %s in the shape of every error, with a request id [I005 I146 I161]', async (_name, sent, status) => {
  const [head = '', body = ''] = (await exchange(emulator, sent)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/x-request-id: req_\w+/);
  expect(JSON.parse(body)).toEqual({
    error: expect.objectContaining({ code: 'invalid_request', param: null }),
  });
});

it('serves HTTP/1.0 without a Host, and builds its URLs on the address that was connected to [I086 I146]', async () => {
  const account = await emulator.account();
  const key = { authorization: `Bearer ${account.key}` };
  await emulator.call('POST', '/v1/images/generations', { prompt: 'a pier', width: 64, height: 64 }, key);
  const answer = await exchange(emulator, `GET /_emulator/library?account_id=${account.id} HTTP/1.0\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain(`"url":"${emulator.url}/cdn/`);
  expect(await exchange(emulator, 'GET /_emulator/health HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
  const foreign = 'GET /_emulator/health HTTP/1.0\r\nhost: evil.example\r\n\r\n';
  expect(await exchange(emulator, foreign)).toMatch(/^HTTP\/1\.1 403 [\s\S]*forbidden_host/);
});

it('has on record what it charged a client that hung up while its large body was being read [I157]', async () => {
  const account = await emulator.account();
  const body = JSON.stringify({ ...CHAT, note: 'x'.repeat(24_000_000) });
  const socket = socketTo(emulator);
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${account.key}\r\n\
content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  await new Promise((sent) => socket.write(head + body, sent));
  socket.destroy();
  const [entry] = await journalled(account, 1);
  expect(entry).toMatchObject({ operation: 'createChatCompletion', credits: 1 });
  expect(entry.charges).toHaveLength(1);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
  expect(await journalled(account, 1)).toHaveLength(1);
});

it('reads large bodies of many clients apart, again and again', async () => {
  const account = await emulator.account({ credits: 100 });
  const order = (name: string) => ({
    model: 'svc-rp-mini',
    messages: [{ role: 'user', content: `${name} ${name.repeat(1_200_000)}` }],
  });
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const sent = [];
  for (const pair of [names.slice(0, 3), names.slice(3)]) {
    const answers = pair.map((name) => account.post('/chat/completions', order(name)));
    sent.push(...(await Promise.all(answers)));
  }
  expect(sent.map(({ status }) => status)).toEqual(names.map(() => 200));
  const seen = await journalled(account, names.length);
  const started = new Map(seen.map(({ id, request }: { id: string; request: string }) => [id, request.slice(60, 120)]));
  expect(sent.map(({ headers }) => started.get(headers.get('x-request-id') ?? ''))).toEqual(
    names.map((name) => JSON.stringify(order(name)).slice(60, 120)),
  );
});
