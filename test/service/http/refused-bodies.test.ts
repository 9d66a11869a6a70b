import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { makeRunCertificate } from '../../../src/service/http/run-authority.ts';
import { answerBrokenRequest, closeServer, createHttpServer, listen } from '../../../src/service/http/server.ts';
import { expectScenario } from '../../support/scenario.ts';
import { exchange, expectError, fileForm, socketTo } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const CERTIFICATE = makeRunCertificate(['127.0.0.1'], Date.now());

function headOf(path: string, lines: string[]): string {
  return `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`;
}

it.each([
  ['JSON of a known length', '/v1/chat/completions', ['content-type: application/json', 'content-length: 40000000']],
  [
    'a form of a known length',
    '/v1/storage/objects',
    ['content-type: multipart/form-data; boundary=x', 'content-length: 130000000'],
  ],
])('answers 413 to %s while it is still being sent, and reads on [I209 I014]', async (_name, path, lines) => {
  const account = await emulator.account();
  const socket = socketTo(emulator);
  socket.write(headOf(path, [`authorization: Bearer ${account.key}`, ...lines]));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*payload_too_large/i);
  const piece = Buffer.alloc(1_000_000, ' ');
  // What is sent behind the answer is taken: nobody is cut off.
  for (let sent = 0; sent < 20; sent += 1) {
    await new Promise<void>((resolve, reject) => socket.write(piece, (error) => (error ? reject(error) : resolve())));
  }
  socket.destroy();
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('refuses a body without a length over 32 MiB, charging nothing, and closes its connection once all of it has come [I014 I209]', async () => {
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
  ['a head', 'GET /v1/models HTTP/1.1\r\nx: ', 'The head', undefined],
  ['a head over https', 'GET /v1/models HTTP/1.1\r\nx: ', 'The head', CERTIFICATE],
  ['a body', headOf('/', ['content-length: 10000']), 'The body', undefined],
  ['a body over https', headOf('/', ['content-length: 10000']), 'The body', CERTIFICATE],
])('answers 408 to %s that drips, and closes [I210]', async (_name, begun, part, secure) => {
  const times = { headersTimeout: 120, requestTimeout: 120, connectionsCheckingInterval: 20 };
  const server = createHttpServer((request) => void request.resume(), times, secure).on(
    'clientError',
    (error, socket) => answerBrokenRequest(error, socket, 'req_1'),
  );
  const port = await listen(server, 0, '127.0.0.1');
  const at = { port, host: '127.0.0.1' };
  const socket = secure ? connectSecurely({ ...at, ca: secure.authority }) : connect(at);
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

it('gives the head of every request 60 s, and all of it 300 [I210]', () => {
  const { headersTimeout, requestTimeout } = createHttpServer(() => {});
  expect([headersTimeout, requestTimeout]).toEqual([60_000, 300_000]);
});

it.each([
  ['no key at all', undefined, 'missing_api_key'],
  ['an empty Bearer', 'Bearer ', 'missing_api_key'],
  ['another scheme', 'Basic abc', 'missing_api_key'],
  ['two words', 'Bearer not a key', 'invalid_api_key'],
  ['what is no key', 'Bearer ~', 'invalid_api_key'],
])('answers 401 to %s, with what is wrong [I009]', async (_name, authorization, code) => {
  const answer = await emulator.call('GET', '/v1/account', undefined, authorization ? { authorization } : {});
  expectError(answer, 401, code);
  expect(answer.headers.get('www-authenticate')).toBe('Bearer');
});

it.each([
  ['[[status:429]]', 429, 'rate_limited', 'rate_limit_error'],
  ['[[status:409]]', 409, 'conflict', 'api_error'],
  ['[[status:503]]', 503, 'injected_fault', 'api_error'],
  ['[[fail:insufficient_credits]]', 502, 'insufficient_credits', 'insufficient_credits'],
  ['[[fail:not_found]]', 502, 'not_found', 'not_found_error'],
  ['[[fail:my_own]]', 502, 'my_own', 'api_error'],
])('answers %s with the type of its code [I206]', (directive, status, code, type) =>
  expectScenario(emulator, {
    ...{ send: 'POST /audio/speech', body: { input: `Hello ${directive}`, voice: 'aria' }, status },
    ...{ error: { code }, answer: { error: { type } }, ledger: status === 502 ? ['charge -3', 'refund 3'] : [] },
  }),
);

it.each([
  ['403', '/cdn/obj/obj_1/a.png?expires=1&signature=00', 'GET', 403],
  ['404', '/cdn/obj/obj_123/a.png', 'GET', 404],
  ['404 of no path', '/cdn/%zz', 'GET', 400],
  ['405', '/cdn/obj/obj_123/a.png', 'POST', 405],
])('sends nosniff and the sandbox with a %s of the CDN [I213]', async (_name, path, method) => {
  const { status, headers } = await emulator.call(method, path);
  expect(status).toBeGreaterThanOrEqual(400);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain('sandbox');
});

it('sends nosniff and the sandbox with a 416 and a foreign Host too [I213]', async () => {
  const account = await emulator.account();
  const { body } = await account.post('/storage/objects', fileForm());
  const far = await emulator.call('GET', body.url, undefined, { range: 'bytes=99-' });
  expect(far.status).toBe(416);
  expect(far.headers.get('x-content-type-options')).toBe('nosniff');
  expect(far.headers.get('content-security-policy')).toContain('sandbox');
  const foreign = await exchange(emulator, 'GET /cdn/a HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n');
  expect(foreign).toMatch(/^HTTP\/1\.1 403 [\s\S]*sandbox[\s\S]*nosniff/i);
});
