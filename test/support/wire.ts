import { connect } from 'node:net';
import { expect } from 'vitest';
import type { Answer, World } from './world.ts';

/** Sends bytes that no HTTP client would, and answers all that comes back until the connection ends. */
export async function exchange(world: World, sent: string): Promise<string> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  socket.end(sent);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The exact shape of every error; answers its code and param. */
export function expectError(
  answer: Pick<Answer, 'status' | 'body' | 'headers'>,
  status: number,
  code: string,
): { message: string; param: string | null } {
  expect(answer.body).toEqual({
    error: {
      code,
      message: expect.stringMatching(/\S/),
      type: expect.stringMatching(/^[a-z_]+$/),
      param: answer.body?.error?.param ?? null,
    },
  });
  expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.headers.get('x-request-id')).toMatch(/^req_\w+$/);
  return answer.body.error;
}

/** A chat request that is right in every way. */
export const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello there.' }] };
