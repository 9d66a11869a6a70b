import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import {
  closeServer,
  createExpressApp,
  createHttpServer,
  listen,
  respondToBrokenRequest,
} from '../../../src/service/http/server.ts';
import { expectScenario, playScenario } from '../../support/scenario.ts';
import { journalled } from '../../support/striking.ts';
import { CHAT, converse, exchange, socketTo } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const JSON_TYPE = { 'content-type': 'application/json' };
const SENT = { send: 'POST /chat/completions', headers: JSON_TYPE };
const ACCEPTED = { ...SENT, ledger: ['charge -1'] };
const say = (content: unknown) => ({ ...CHAT, messages: [{ role: 'user', content }] });

it.each([
  ['an empty body', ''],
  ['half of an object', '{"model":'],
  ['text', 'model=svc-rp-mini'],
  ['a trailing comma', '{"model":"svc-rp-mini",}'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ['an array', '[]'],
  ['a string', '"hello"'],
  ['null', 'null'],
])('rejects %s as a JSON body, with a null param [I005 I101]', (_name, body) =>
  expectScenario(emulator, { ...SENT, body, error: { field: null } }),
);

it('reads a JSON body with a byte-order mark, and records it without the mark', async () => {
  const body = Buffer.from(`\ufeff${JSON.stringify(CHAT)}`);
  const { account } = await playScenario(emulator, { ...ACCEPTED, body });
  const [entry] = await journalled(account, 1);
  expect(entry?.request).toBe(JSON.stringify(CHAT));
});

it.each([
  ['/chat/completions', say('a\ud800'), 'messages.0.content'],
  ['/chat/completions', say([{ type: 'text', text: '\udc00' }]), 'messages.0.content.0.text'],
  ['/chat/completions', { ...CHAT, model: '\ud800' }, 'model'],
  ['/chat/completions', { ...CHAT, metadata: { note: '\ud83d' } }, 'metadata.note'],
  ['/chat/completions', { ...CHAT, metadata: { '\ud83d': 1 } }, 'metadata.\ufffd'],
  ['/videos/generations', { prompt: 'a fox', seconds: 5, elements: ['a', '\ud83e'] }, 'elements.1'],
  ['/music/generations', { prompt: 'a song', title: '\udfff' }, 'title'],
])('rejects an unpaired surrogate at %s in %j, and names %s [I006]', (path, body, field) =>
  expectScenario(emulator, { send: `POST ${path}`, body, error: { field, says: /surrogate pair/ } }),
);

it.each([
  ['a body without a type', {}],
  ['a body with the type of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a body with the type of a text', { 'content-type': 'text/plain;charset=UTF-8' }],
  ['a compressed body', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
])('rejects %s with a 415 that says what to send [I015 I101]', (_name, headers) => {
  const error = { code: 'unsupported_media_type', says: /Content-(Type: application\/json|Encoding)/ };
  return expectScenario(emulator, { ...SENT, headers, body: Buffer.from(JSON.stringify(CHAT)), status: 415, error });
});

it.each([
  ['transfer-encoding: gzip, chunked', '"gzip".*Transfer-Encoding'],
  ['transfer-encoding: X-Gzip ,Chunked', '"x-gzip".*Transfer-Encoding'],
  ['transfer-encoding: gzip\r\ntransfer-encoding: chunked', '"gzip".*Transfer-Encoding'],
  ['transfer-encoding: chunked\r\ncontent-encoding: br', '"br".*Content-Encoding'],
  ['transfer-encoding: chunked\r\ncontent-encoding: identity, zstd', '"zstd".*Content-Encoding'],
])('rejects a body with %j as compressed, for service and control operations [I015]', async (encoding, says) => {
  const account = await emulator.account();
  const paths = [
    ['/v1/chat/completions', 'application/json'],
    ['/v1/storage/objects', 'multipart/form-data; boundary=b'],
    ['/_emulator/clock/advance', 'application/json'],
    ['/_emulator/reset', 'application/json'],
  ];
  for (const [path, type] of paths) {
    const head = [`POST ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${account.key}`, encoding];
    const sent = [...head, 'connection: close', `content-type: ${type}`, '', '2', '{}', '0', '', ''].join('\r\n');
    const answer = await converse(emulator, sent);
    expect(answer, path).toMatch(/^HTTP\/1\.1 415 /);
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.message, path).toMatch(new RegExp(says));
  }
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each(['chunked', 'Chunked'])('reads a body with the transfer encoding %s', async (encoding) => {
  const account = await emulator.account();
  const text = JSON.stringify(CHAT);
  const head = ['POST /v1/chat/completions HTTP/1.1', 'host: localhost', `authorization: Bearer ${account.key}`];
  const lines = [`transfer-encoding: ${encoding}`, 'connection: close', 'content-type: application/json'];
  const chunks = [text.length.toString(16), text, '0', '', ''];
  expect(await converse(emulator, [...head, ...lines, '', ...chunks].join('\r\n'))).toMatch(/^HTTP\/1\.1 200 /);
});

it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json'])(
  'reads a JSON body with the Content-Type %s',
  (type) =>
    expectScenario(emulator, {
      ...ACCEPTED,
      headers: { 'content-type': type },
      body: Buffer.from(JSON.stringify(CHAT)),
    }),
);

it('accepts a JSON body of 32 MiB [I014]', async () => {
  const full = Buffer.alloc(32 * 1_048_576, ' ');
  full.write(JSON.stringify(CHAT));
  await expectScenario(emulator, { ...ACCEPTED, body: full });
});

it('returns a 400 with a request id for a body that ends early, and charges nothing [I161]', async () => {
  const account = await emulator.account();
  const sent = `POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${account.key}\r\n\
content-type: application/json\r\ncontent-length: 999\r\n\r\n${JSON.stringify(CHAT)}`;
  const answer = await exchange(emulator, sent);
  expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-request-id: req_[\s\S]*"invalid_request"/);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['bytes that are not HTTP', 'HELLO\r\n\r\n', 400],
  ['a request without a Host', 'GET /v1/models HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ['headers over 16 KiB', `GET /v1/models HTTP/1.1\r\nhost: localhost\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 400],
])('returns the standard error shape for %s, with a request id [I005 I161]', async (_name, sent, status) => {
  const [head = '', body = ''] = (await exchange(emulator, sent)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(head).toMatch(/x-request-id: req_\w+/);
  expect(JSON.parse(body)).toEqual({ error: expect.objectContaining({ code: 'invalid_request', param: null }) });
});

it('serves HTTP/1.0 without a Host, builds URLs with the local address, and rejects a foreign Host [I095 I165]', async () => {
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

it('does not mix up the large bodies of three requests that are sent at the same time', async () => {
  const account = await emulator.account({ credits: 100 });
  const order = (name: string) => say(`${name} ${name.repeat(1_200_000)}`);
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

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const chatWith = (field: string, padding = 0) =>
  `${JSON.stringify(CHAT).slice(0, -1)},"more":${field}${' '.repeat(padding)}}`;
const LARGE = 200_000;

it.each([
  ['a small body', 0],
  ['a large body', LARGE],
])(
  'accepts %s with 100 levels of nested JSON, and rejects one with 101 levels, with the reason [I226]',
  async (_name, padding) => {
    await expectScenario(emulator, { ...ACCEPTED, body: chatWith(nested(99), padding) });
    const error = { field: null, says: 'deeper than 100 levels' };
    await expectScenario(emulator, { ...SENT, body: chatWith(nested(100), padding), error });
  },
);

it('does not count brackets inside a text as levels of JSON [I226]', () => {
  const text = `"${'[{'.repeat(30_000)} \\" ${'[['.repeat(9)}"`;
  return expectScenario(emulator, { ...ACCEPTED, body: chatWith(text) });
});

it.each([
  ['brackets that nobody closes', '['.repeat(300_000), 'deeper than 100 levels'],
  ['a quarter of a million objects', `[${'{},'.repeat(250_000)}{}]`, 'more than 20000 objects and arrays'],
  ['a quarter of a million numbers', `[${'1,'.repeat(250_000)}1]`, 'more than 200000 values'],
  ['a quarter of a million names', `{${'"a":1,'.repeat(250_000)}"b":1}`, 'more than 200000 values'],
])('rejects a body with %s, and names the limit that it exceeds', (_name, body, says) =>
  expectScenario(emulator, { ...SENT, body, error: { says } }),
);

it.each([
  ['/chat/completions', 'messages', 4096],
  ['/webhooks', 'events', 100],
  ['/videos/generations', 'elements', 100],
  ['/videos/generations', 'references', 100],
])('rejects for POST %s a list of %s with more than %i items [I006]', (path, field, most) => {
  const body = { model: 'svc-rp-mini', url: 'https://example.com/', prompt: 'a', [field]: Array(most + 1).fill(7) };
  return expectScenario(emulator, {
    send: `POST ${path}`,
    body,
    error: { field, says: `at most ${most}. Send fewer.` },
  });
});

it('reports only the first of thousands of invalid fields [I226]', async () => {
  const messages = Array.from({ length: 4000 }, () => ({ role: 7, content: 7 }));
  const error = { field: 'messages.0.role' };
  const { bytes } = await playScenario(emulator, { ...SENT, body: { ...CHAT, messages }, error });
  expect(bytes.length).toBeLessThan(1000);
});

it('rejects a text with over 10,000 beginnings of directives, and names the limit', async () => {
  await expectScenario(emulator, { ...ACCEPTED, body: say('[[ '.repeat(10_000)) });
  await expectScenario(emulator, { ...SENT, body: say('[[ '.repeat(10_001)), error: { says: '10000' } });
  // A bracket may begin a directive if another one follows it.
  await expectScenario(emulator, { ...SENT, body: say('['.repeat(10_002)), error: { says: '10000' } });
});

it('counts twice as many tokens in a prompt that is twice as long [I107]', async () => {
  const account = await emulator.account();
  const ask = (content: string) => account.post('/chat/completions', say(content));
  const tokens = async (times: number) =>
    Number((await ask('a word, 12345 ☂ and  so on;'.repeat(times))).headers.get('svc-emulator-prompt-tokens'));
  const [one, two] = [await tokens(3000), await tokens(6000)];
  const none = await tokens(0);
  expect(two - none).toBe(2 * (one - none));
});

function headOf(path: string, lines: string[]): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`;
}

it.each([
  ['JSON of 32 MiB and a byte', '/v1/chat/completions', ['content-type: application/json', 'content-length: 33554433']],
  [
    'a form of 130 MB',
    '/v1/storage/objects',
    ['content-type: multipart/form-data; boundary=x', 'content-length: 130000000'],
  ],
])(
  'returns 413 for %s after only its headers have arrived, and accepts more of the body afterwards [I209 I014]',
  async (_name, path, lines) => {
    const account = await emulator.account();
    const socket = socketTo(emulator);
    socket.write(headOf(path, [`authorization: Bearer ${account.key}`, ...lines]));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*payload_too_large/i);
    const piece = Buffer.alloc(1_000_000, ' ');
    // The server reads what comes after its response, and does not cut the client off.
    for (let sent = 0; sent < 6; sent += 1) {
      await new Promise<void>((resolve, reject) => socket.write(piece, (error) => (error ? reject(error) : resolve())));
    }
    socket.destroy();
    expect(await account.ledger()).toEqual(['grant 50']);
  },
);

it('rejects a body over 32 MiB without a Content-Length, charges nothing, and closes the connection at its end [I014 I209]', async () => {
  const account = await emulator.account();
  const lines = [
    `authorization: Bearer ${account.key}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
  ];
  const chunk = `100000\r\n${' '.repeat(1_048_576)}\r\n`;
  const answer = await exchange(emulator, `${headOf('/v1/chat/completions', lines)}${chunk.repeat(33)}0\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*payload_too_large[\s\S]*\}$/);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['a head', 'GET /v1/models HTTP/1.1\r\nx: ', 'The head'],
  ['a body', headOf('/', ['content-length: 10000']), 'The body'],
])('returns 408 for %s that arrives slowly, and closes the connection [I210]', async (_name, begun, part) => {
  const times = { headersTimeout: 60_000, requestTimeout: 60_000, connectionsCheckingInterval: 20 };
  const limit = () => Object.assign(server, { headersTimeout: 120, requestTimeout: 120 });
  const app = createExpressApp().use((request) => {
    request.resume();
    limit();
  });
  const server = createHttpServer(app, times).on('clientError', (error, socket) =>
    respondToBrokenRequest(error, socket, 'req_1'),
  );
  // The time limit of a head starts with the connection, the limit of a body after its head.
  if (part === 'The head') limit();
  const port = await listen(server, 0, '127.0.0.1');
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const drip = setInterval(() => socket.write('x'), 10);
  socket.write(begun);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  clearInterval(drip);
  const answer = Buffer.concat(chunks).toString();
  expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"timeout"/);
  expect(answer).toContain(part);
  await closeServer(server, () => () => {});
});

it('sets a limit of 60 s for the headers of a request, and of 300 s for all of it [I210]', () => {
  const { headersTimeout, requestTimeout } = createHttpServer(createExpressApp());
  expect([headersTimeout, requestTimeout]).toEqual([60_000, 300_000]);
});
