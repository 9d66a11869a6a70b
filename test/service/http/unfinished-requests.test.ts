import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../../cli/spawned-program.ts';
import { journalled } from '../../support/striking.ts';
import { CHAT, expectError, socketTo } from '../../support/wire.ts';
import { type TestAccount, type World, world } from '../../support/world.ts';

const emulator = await world();
const MEBIBYTE = 1_048_576;

async function connected(world: World): Promise<Socket> {
  const socket = socketTo(world).on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

function headOf({ key }: TestAccount, path: string, length: number): string {
  const lines = [`POST /v1${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${key}`];
  return [...lines, 'content-type: application/json', `content-length: ${length}`, '', ''].join('\r\n');
}

it.each([
  ['never came', ''],
  ['broke off', '{"model":'],
])('records a request whose body %s as rejected, and charges nothing', async (_how, started) => {
  const account = await emulator.account();
  const socket = await connected(emulator);
  await new Promise((resolve) => socket.write(headOf(account, '/chat/completions', 5000) + started, resolve));
  socket.destroy();
  const [record] = await journalled(account, 1);
  expect(record).toMatchObject({ status: 400, cut: true });
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each<[string, object]>([
  ['/chat/completions', CHAT],
  ['/chat/completions', { ...CHAT, context: 'x'.repeat(8_000_000) }],
  ['/images/generations', { prompt: 'a pier that nobody waits for' }],
  ['/audio/speech', { input: 'Hello', voice: 'aria' }],
])(
  'records a request to %s with its charge if the client disconnects immediately after it sent the request',
  async (path, body) => {
    const account = await emulator.account();
    const text = JSON.stringify(body);
    const socket = await connected(emulator);
    await new Promise((resolve) => socket.write(headOf(account, path, Buffer.byteLength(text)) + text, resolve));
    socket.destroy();
    const [record] = await journalled(account, 1);
    const charges = (await account.entries()).filter(({ type }) => type === 'charge');
    expect(charges).toHaveLength(1);
    expect(record).toMatchObject({ status: 200, charges: charges.map(({ id }) => id) });
  },
);

it('allocates less than 300 MiB for 3,000 requests that announce bodies of 32 MiB, and serves a chat', async () => {
  const account = await emulator.account();
  const before = process.memoryUsage().arrayBuffers;
  const head = headOf(account, '/chat/completions', 32 * MEBIBYTE);
  const sockets: Socket[] = [];
  onTestFinished(() => void sockets.map((socket) => socket.destroy()));
  for (let batch = 0; batch < 30; batch += 1) {
    const opened = await Promise.all(Array.from({ length: 100 }, () => connected(emulator)));
    for (const socket of opened) socket.write(`${head}{`);
    sockets.push(...opened);
  }
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  // The requests announce 96 GB in all, but the server allocates memory only for bytes that arrive.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300 * MEBIBYTE);
});

it.runIf(process.platform === 'linux')(
  'uses less than 400 MiB of memory when it rejects a body of 16 million numbers',
  async () => {
    const { program, here } = await startProgram(['--ephemeral', '--log', 'silent']);
    const account = await here.account();
    const body = Buffer.alloc(32 * MEBIBYTE - 4, '1,');
    body.write('{"model":"svc-rp-mini","messages":[');
    const refused = await here.call('POST', '/v1/chat/completions', body, {
      ...account.headers,
      'content-type': 'application/json',
    });
    expectError(refused, 400, 'invalid_request');
    expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
    const status = readFileSync(`/proc/${program.child.pid}/status`, 'utf8');
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    expect(peak).toBeGreaterThan(32);
    expect(peak).toBeLessThan(400);
  },
);
