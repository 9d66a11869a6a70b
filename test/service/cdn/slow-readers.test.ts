import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startProgram } from '../../cli/spawned-program.ts';
import { lookUntil } from '../../support/look-until.ts';
import { CHAT, fileForm } from '../../support/wire.ts';

const READERS = 60;
const LARGE = 20 * 1_048_576;

async function openReader(at: URL): Promise<Socket> {
  const socket = connect(Number(at.port), at.hostname).on('error', () => undefined);
  socket.write(`GET ${at.pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

it.runIf(process.platform === 'linux')(
  'serves others and resets beside many clients that take a byte of a large object, and closes what they held',
  async () => {
    const { program, here } = await startProgram(['--ephemeral', '--log', 'silent']);
    const account = await here.account({ credits: 1000 });
    const { body: object } = await account.post('/storage/objects', fileForm(Buffer.alloc(LARGE, 'x')));
    await account.post('/chat/completions', CHAT);
    const descriptors = () => readdirSync(`/proc/${program.child.pid}/fd`).length;
    const before = descriptors();
    const readers: Socket[] = [];
    for (let reader = 0; reader < READERS; reader += 1) readers.push(await openReader(new URL(object.url)));
    expect(readers.map((reader) => reader.read(1)?.length)).toEqual(readers.map(() => 1));
    // A connection each, and the file.
    expect(descriptors()).toBeLessThanOrEqual(before + 2 * READERS + 10);
    expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -4', 'charge -1', 'charge -1']);
    expect((await here.control('POST', '/reset')).status).toBe(204);
    const seeded = await here.first();
    expect((await seeded.post('/chat/completions', CHAT)).status).toBe(200);
    for (const reader of readers) reader.destroy();
    await lookUntil(() => descriptors() <= before + 10);
    expect(await program.stop()).toBe(0);
  },
);
