import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { expect, it } from 'vitest';
import { readBytes } from '../../src/http/operation-reader.ts';
import { attachRequestContext, RequestContext } from '../../src/http/request.ts';
import { makeRunCertificate } from '../../src/http/run-authority.ts';
import { sendError } from '../../src/http/send.ts';
import { written } from '../../src/http/send-stream.ts';
import { type Answer, answerBrokenRequest, closeServer, createHttpServer, listen } from '../../src/http/server.ts';
import { SlowClients } from '../../src/http/slow-clients.ts';
import { lookUntil } from '../support/look-until.ts';
import { exchange, expectError, fileForm, socketTo } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

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

it('answers 408 to a head that drips, and closes [I210]', async () => {
  const limits = { headersTimeout: 120, connectionsCheckingInterval: 20 };
  const server = createHttpServer(() => {}, limits).on('clientError', (error, socket) =>
    answerBrokenRequest(error, socket, 'req_1'),
  );
  const port = await listen(server, 0, '127.0.0.1');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const drip = setInterval(() => socket.write('x'), 10);
  socket.write('GET /v1/models HTTP/1.1\r\nx: ');
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  clearInterval(drip);
  expect(Buffer.concat(chunks).toString()).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"timeout"/);
  await closeServer(server, () => () => {});
});

const DRIPPED = /^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"timeout"/i;
const CERTIFICATE = makeRunCertificate(['127.0.0.1'], Date.now());

it.each([
  ['a body that drips', 10, DRIPPED, undefined],
  ['a body that drips over https', 10, DRIPPED, CERTIFICATE],
  ['a body that comes on', 2000, /^$/, undefined],
  ['a body that comes on over https', 2000, /^$/, CERTIFICATE],
])('looks at %s at each sweep', async (_name, bytes, expected, secure) => {
  const slowClients = new SlowClients({ after: () => () => {} });
  const arrived = new EventEmitter();
  const answer: Answer = (request, response) => {
    request.on('data', () => arrived.emit('data'));
    attachRequestContext(response, new RequestContext('req_1', { received: 0, began: 0, volume: 0 }));
    readBytes(request, 10_000).catch((error) => sendError(response, error));
  };
  const server = createHttpServer(answer, undefined, secure);
  slowClients.watch(server);
  const port = await listen(server, 0, '127.0.0.1');
  const ca = secure?.authority;
  const socket = secure ? connectSecurely({ port, host: '127.0.0.1', ca }) : connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const send = async (text: string) => {
    const come = once(arrived, 'data');
    socket.write(text);
    await come;
  };
  await send(`${headOf('/', ['content-length: 10000'])}x`);
  slowClients.sweep();
  await send('x'.repeat(bytes));
  const ended = once(socket, 'close');
  slowClients.sweep();
  if (bytes > 1024) socket.destroy();
  await ended;
  expect(Buffer.concat(chunks).toString()).toMatch(expected);
  await closeServer(server, () => () => {});
});

it('limits the head of every request to 60 s, and no body [I210 I047]', () => {
  const { headersTimeout, requestTimeout } = createHttpServer(() => {});
  expect([headersTimeout, requestTimeout]).toEqual([60_000, 0]);
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
])('answers %s with the type of its code [I206]', async (directive, status, code, type) => {
  const account = await emulator.account();
  const answer = await account.post('/audio/speech', { input: `Hello ${directive}`, voice: 'aria' });
  expect([answer.status, answer.body.error.code, answer.body.error.type]).toEqual([status, code, type]);
});

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

/** A client that takes the beginning of 50 MB, which a server sends piece by piece, and its connection at the server. */
async function slowReader() {
  const slowClients = new SlowClients({ after: () => () => {} });
  const piece = Buffer.alloc(262_144, 'x');
  const send = async (response: ServerResponse) => {
    for (let sent = 0; sent < 200 && !response.destroyed; sent += 1) await written(response, piece);
    response.end();
  };
  const server = createHttpServer((_request, response) => void send(response));
  slowClients.watch(server);
  const port = await listen(server, 0, '127.0.0.1');
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  const [connection] = (await once(server, 'connection')) as [Socket];
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(socket, 'readable');
  return { slowClients, server, socket, connection };
}

/** Resolves when the buffers of the system are full. */
async function full(connection: Socket): Promise<void> {
  let before = -1;
  await lookUntil(() => {
    const isFull = connection.writableLength > 0 && connection.bytesWritten === before;
    before = connection.bytesWritten;
    return isFull;
  });
}

it('closes the connection of a client that reads nothing of its answer for five sweeps', async () => {
  const { slowClients, server, socket, connection } = await slowReader();
  await full(connection);
  for (let sweep = 0; sweep <= 5; sweep += 1) {
    expect(connection.destroyed).toBe(false);
    slowClients.sweep();
  }
  expect(connection.destroyed).toBe(true);
  socket.destroy();
  await closeServer(server, () => () => {});
});

it('leaves a client alone that reads on, however slowly', async () => {
  const { slowClients, server, socket, connection } = await slowReader();
  for (let sweep = 0; sweep <= 7; sweep += 1) {
    await full(connection);
    slowClients.sweep();
    const before = connection.bytesWritten;
    while (connection.bytesWritten === before) if (socket.read() === null) await once(socket, 'readable');
  }
  expect(connection.destroyed).toBe(false);
  socket.destroy();
  await closeServer(server, () => () => {});
});
