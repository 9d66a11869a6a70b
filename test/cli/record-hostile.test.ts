import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { listening } from '../check/service/stand-in.ts';
import { lookUntil } from '../support/look-until.ts';
import { send, sendBytes, startRecorder } from './recorder.ts';

type Answer = string | Buffer | ((socket: Socket) => void);

const JSON_HEAD = 'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\n';
const packed = (encoding: string, bytes: Buffer) =>
  Buffer.concat([
    Buffer.from(`${JSON_HEAD}content-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`),
    bytes,
  ]);
const json = (text: string) => `${JSON_HEAD}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
const ZEROS = Buffer.alloc(32 * 1_048_576, '0');
const UNREAD = /packed otherwise than it says or longer than 4 MiB/;
const close = (text: string) => (socket: Socket) => void socket.end(text, 'latin1');

/** What the service answers, what the client gets, and what is written: failure or body. A 502 is written as no answer. */
const ROWS: readonly (readonly [name: string, answer: Answer, status: number, written: RegExp])[] = [
  ['a status of 099', 'HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n', 502, /./],
  ['a status of 000', 'HTTP/1.1 000 None\r\ncontent-length: 0\r\n\r\n', 502, /./],
  ['a status of 999', 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', 999, /./],
  ['a switch of protocols', 'HTTP/1.1 101 Go\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 502, /UPGRADE/],
  ['a lone 103', close('HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\n'), 502, /ECONNRESET/],
  ['a 103 before its answer', `HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\n${json('{"n":1}')}`, 200, /\{"n":1\}/],
  ['a control character in the reason', 'HTTP/1.1 200 O\u0001K\r\ncontent-length: 0\r\n\r\n', 502, /./],
  ['an escape of a terminal in the reason', 'HTTP/1.1 200 \u001b[2J\r\ncontent-length: 0\r\n\r\n', 502, /./],
  ['a control character in a header', 'HTTP/1.1 200 OK\r\nx-a: \u0001\r\ncontent-length: 0\r\n\r\n', 502, /./],
  ['a reason beyond ASCII', close('HTTP/1.1 200 \u00c7a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'), 200, /./],
  ['a bomb of brotli', packed('br', brotliCompressSync(ZEROS)), 200, UNREAD],
  ['a bomb of gzip', packed('gzip', gzipSync(ZEROS)), 200, UNREAD],
  ['a bomb of deflate', packed('deflate', deflateSync(ZEROS)), 200, UNREAD],
  ['what is no gzip', packed('gzip', Buffer.from('{"n":1}')), 200, UNREAD],
  ['an encoding that nobody knows', packed('rot13', Buffer.from('{"n":1}')), 200, UNREAD],
  ['two encodings', packed('gzip, br', Buffer.from('{"n":1}')), 200, UNREAD],
  ['JSON that is no JSON', json('{"n":'), 200, /no whole JSON/],
  ['JSON of 20,000 levels', json('['.repeat(20_000) + ']'.repeat(20_000)), 200, /deeper than 100 levels|no whole JSON/],
  ['a field called __proto__', json('{"__proto__":{"n":1}}'), 200, /\{"other_9":\{"n":1\}\}/],
  ['a body of 6 MiB', json(`{"n":"${'x'.repeat(6 * 1_048_576)}"}`), 200, /more than is kept/],
  ['a body that is cut', close(`${JSON_HEAD}content-length: 100\r\n\r\n{"n":1`), 200, /CUT/],
  ['a chunk of a wrong length', close(`${JSON_HEAD}transfer-encoding: chunked\r\n\r\nzz\r\n`), 200, /CUT/],
  ['a 204 with a body', close('HTTP/1.1 204 None\r\ncontent-length: 5\r\n\r\nhello'), 204, /null/],
  [
    'a page of HTML',
    'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p/>',
    200,
    /\[4 bytes of text\/html\]/,
  ],
  ['a redirect', 'HTTP/1.1 302 Go\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n', 302, /./],
  ['no HTTP', close('hello\r\n\r\n'), 502, /HPE_/],
  ['not a byte', (socket) => void socket.destroy(), 502, /ECONNRESET/],
  ['too many headers', close(`HTTP/1.1 200 OK\r\n${'x-a: 1\r\n'.repeat(9000)}\r\n`), 502, /HPE_HEADER_OVERFLOW/],
  ['two lengths', close(`${JSON_HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\n12`), 502, /HPE_/],
  [
    'a length beside chunks',
    close(`${JSON_HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`),
    502,
    /HPE_/,
  ],
  [
    'HTTP/1.0 without a length',
    close('HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n{"n":1}'),
    200,
    /\{"n":1\}/,
  ],
  [
    'a stream of escapes',
    close('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\ndata: \u001b[2J\r\n\r\n'),
    200,
    /data: … \[4 characters\]/,
  ],
];

const PLAIN = ROWS.findIndex(([name]) => name === 'HTTP/1.0 without a length');
const service = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', (head) => {
    const [, row = ''] = /limit=(\d+)/.exec(head.toString()) ?? [];
    const answer = ROWS[Number(row)]?.[1] ?? drip;
    if (typeof answer === 'function') answer(socket);
    else socket.end(answer);
  });
});
const recorder = await startRecorder(await listening(service));

/** Sends without an end, as fast as it is read. */
function drip(socket: Socket): void {
  socket.write(`${JSON_HEAD}\r\n`);
  const more = () => socket.writable && socket.write('x', () => setImmediate(more));
  more();
}

it.each(ROWS)('survives %s, and writes one line of it', async (name, _, status, written) => {
  const at = ROWS.findIndex((row) => row[0] === name);
  const before = recorder.lines().length;
  expect((await send(recorder.url, { path: `/v1/models?limit=${at}` })).status).toBe(status);
  await lookUntil(() => recorder.lines().length > before);
  const { response } = recorder.lines()[before];
  expect(response.status).toBe(status === 502 ? 0 : status);
  expect(`${response.failure} ${response.body}`).toMatch(written);
  // A second line of the same request would come before that of another one.
  await send(recorder.url, { path: `/v1/account?limit=${PLAIN}` });
  await lookUntil(() => recorder.lines().length > before + 1);
  expect(recorder.lines()[before + 1].request.path).toBe(`/v1/account?limit=${PLAIN}`);
  expect(recorder.program.child.exitCode).toBeNull();
});

it('writes an answer without an end once its client is gone', async () => {
  const before = recorder.lines().length;
  const answer = await fetch(`${recorder.url}/v1/models?limit=${ROWS.length}`);
  const reader = answer.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  await lookUntil(() => recorder.lines().length > before);
  expect(recorder.lines()[before].response).toMatchObject({ status: 200, failure: 'CUT' });
});

it('refuses a request that names another host', async () => {
  const asked = 'GET http://127.0.0.1:1/v1/models HTTP/1.1\r\nhost: a\r\nauthorization: Bearer svc_sk_x\r\n\r\n';
  expect(await sendBytes(recorder.url, asked)).toBe('HTTP/1.1 400 Bad Request');
});
