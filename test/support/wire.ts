import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Answer, TestAccount, World } from './world.ts';

/** A raw connection, to send what no HTTP client sends, or to hang up. */
export function socketTo({ url }: World): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** Sends a call of an account over a new connection, with additional header lines. */
export function sendCall({ world, key }: TestAccount, path: string, body: object, ...lines: string[]): Socket {
  const json = JSON.stringify(body);
  const head = [
    ...[`POST /v1${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${key}`, ...lines],
    ...['content-type: application/json', `content-length: ${Buffer.byteLength(json)}`],
  ];
  const socket = socketTo(world);
  socket.write(`${head.join('\r\n')}\r\n\r\n${json}`);
  return socket;
}

/** A call that the client can abort. `answered` is its status, or `cut` if the connection ends first. */
export function openCall({ world, headers }: TestAccount, path: string, body: object) {
  const client = new AbortController();
  const order = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  const call = fetch(`${world.url}/v1${path}`, { ...order, body: JSON.stringify(body), signal: client.signal });
  const answered = call.then(
    ({ status }) => status,
    () => 'cut' as const,
  );
  return { answered, hangUp: () => client.abort() };
}

/** Sends a call and returns the raw response, for a stream or for a response that no contract allows. */
export function rawPost({ world, headers }: TestAccount, path: string, body: object): Promise<Response> {
  const order = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } };
  return fetch(`${world.url}/v1${path}`, { ...order, body: JSON.stringify(body) });
}

export function fileForm(content: string | Uint8Array = 'hello', name = 'hello.txt', fields: object = {}): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  return form;
}

/** Sends bytes that no HTTP client would send, and returns everything that comes until the connection ends. */
export async function exchange(world: World, sent: string): Promise<string> {
  const socket = socketTo(world);
  socket.end(sent);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Like `exchange`, but stays open for a slow response. The last request must say `connection: close`. */
export function converse(world: World, sent: string): Promise<string> {
  const socket = socketTo(world);
  socket.write(sent);
  return text(socket);
}

/** Checks the exact shape of an error and the field that it names, and returns its message and param. */
export function expectError(
  answer: Pick<Answer, 'status' | 'body' | 'headers'>,
  status: number,
  code: string,
  param: string | null = answer.body?.error?.param ?? null,
): { message: string; param: string | null } {
  expect(answer.body).toEqual({
    error: {
      code,
      message: expect.stringMatching(/\S/),
      type: expect.stringMatching(/^[a-z_]+$/),
      param,
    },
  });
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toMatch(/^req_\w+$/);
  return answer.body.error;
}

/** A valid chat request. */
export const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello there.' }] };
