import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../support/world.ts';

const here = await world();

it('ends a look at a receiver that does not answer at a reset, which does not wait for it', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const order = { url: `http://127.0.0.1:${port}/`, secret: 'whsec_x', timeout_seconds: 30 };
  const asked = once(silent, 'connection');
  const card = here.control('POST', '/verify', order);
  const [socket] = await asked;
  const left = once(socket, 'close');
  expect((await here.control('POST', '/reset')).status).toBe(204);
  const { status, body } = await card;
  expect([status, body.checks, body.error.message]).toEqual([502, undefined, expect.stringContaining('was reset')]);
  // Nothing more is sent to it.
  await left;
});
