import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startProgram } from '../../cli/spawned-program.ts';
import { lookUntil } from '../../support/look-until.ts';
import { rule } from '../../support/striking.ts';
import { CHAT, fileForm } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const READERS = 30;
const LARGE = 10 * 1_048_576;

async function openReader(at: URL): Promise<Socket> {
  const socket = connect(Number(at.port), at.hostname).on('error', () => undefined);
  socket.write(`GET ${at.pathname} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  await once(socket, 'readable');
  return socket;
}

it.runIf(process.platform === 'linux')(
  'serves a chat and a reset while 30 clients read a file slowly, and frees their connections when they disconnect',
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
    // Each reader has a connection and an open file.
    expect(descriptors()).toBeLessThanOrEqual(before + 2 * READERS + 10);
    expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -2', 'charge -1', 'charge -1']);
    expect((await here.control('POST', '/reset')).status).toBe(204);
    const seeded = await here.first();
    expect((await seeded.post('/chat/completions', CHAT)).status).toBe(200);
    for (const reader of readers) reader.destroy();
    await lookUntil(() => descriptors() <= before + 10);
    expect(await program.stop()).toBe(0);
  },
);

const emulator = await world({ settleAfter: 0.02 });

/** A finished song: the path of its job and the URL of its file. */
async function song(account: TestAccount) {
  const order = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
  const { body: job } = await account.made('/music/generations', order);
  return { path: `/music/generations/${job.id}`, url: String(job.result_url) };
}

const paying = () => emulator.account({ plan: 'studio', credits: 100 });

it('makes a CDN URL expire by a fault rule, and returns a new one when the job is read [I237]', async () => {
  const account = await paying();
  const { path, url } = await song(account);
  await rule(account, { cdn: { expired: true } });
  expect((await fetch(url)).status).toBe(403);
  expect((await fetch(url)).status).toBe(403);
  const { body } = await account.get(path);
  expect(body.result_url).not.toBe(url);
  expect((await fetch(body.result_url)).status).toBe(200);
  expect((await fetch(url)).status).toBe(403);
});

it('returns new CDN URLs in the library after a fault rule let the old ones expire, even with a frozen clock [I237]', async () => {
  const own = await world();
  const account = await own.account({ plan: 'studio', credits: 100 });
  await own.control('PUT', '/clock', { frozen: true });
  await account.post('/images/generations', { prompt: 'a pier' });
  const urls = async () => {
    const [entry] = await account.library();
    const { body } = await own.control('GET', '/library');
    return [String(entry?.url), String(body.data[0].thumbnail_url)].map((url) => new URL(url, own.url).href);
  };
  const old = await urls();
  await rule(account, { cdn: { expired: true } }, { times: 2 });
  const statuses = async (all: string[]) => Promise.all(all.map(async (url) => (await fetch(url)).status));
  expect(await statuses(old)).toEqual([403, 403]);
  expect(await statuses(await urls())).toEqual([200, 200]);
  expect(await statuses(old)).toEqual([403, 403]);
});

/** The URL of an image, which is rendered sooner than a song. */
async function picture(account: TestAccount): Promise<string> {
  const { body } = await account.post('/images/generations', { prompt: 'a pier', response_format: 'url' });
  return String(body.data[0].url);
}

it('closes the connection before the end of a CDN file under a truncate_at rule, and sends the whole file to the next read [I237]', async () => {
  const account = await paying();
  const url = await picture(account);
  await rule(account, { cdn: { truncate_at: 1000 } });
  const cut = await fetch(url);
  expect(cut.status).toBe(200);
  await expect(cut.arrayBuffer()).rejects.toThrow();
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(Number(cut.headers.get('content-length')));
});

it('sends under CDN fault rules a wrong media type, a wrong length, or wrong bytes, which are the same in two reads', async () => {
  const account = await paying();
  const url = await picture(account);
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  await rule(account, { cdn: { content_type: 'text/html', flip_bytes: 3 } }, { times: 2 });
  const reads = [await fetch(url), await fetch(url)];
  expect(reads.map(({ headers }) => headers.get('content-type'))).toEqual(['text/html', 'text/html']);
  const [one, two] = await Promise.all(reads.map(async (read) => Buffer.from(await read.arrayBuffer())));
  expect(one).toEqual(two);
  expect(whole.filter((byte, at) => byte !== one?.[at])).toHaveLength(3);
  await rule(account, { cdn: { wrong_length: whole.length + 10 } });
  await expect((await fetch(url)).arrayBuffer()).rejects.toThrow();
});

it('sends every byte of a file, but more slowly, under a fault rule with bytes_per_second', async () => {
  const account = await paying();
  const url = await picture(account);
  const whole = await (await fetch(url)).arrayBuffer();
  await rule(account, { cdn: { bytes_per_second: whole.byteLength * 5 } });
  const began = performance.now();
  expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(Buffer.from(whole));
  expect(performance.now() - began).toBeGreaterThan(150);
});

it('stops a download by a hold after the first bytes of the file, and completes it after the release [I234]', async () => {
  const account = await paying();
  const url = await picture(account);
  const match = { account_id: account.id, path: '/cdn' };
  const { body: hold } = await emulator.control('POST', '/holds', { match, at: 'answer' });
  const read = await fetch(url);
  const reader = read.body?.getReader();
  const first = await reader?.read();
  expect(first?.value?.byteLength).toBeGreaterThan(0);
  await emulator.held(hold.id);
  await emulator.control('POST', `/holds/${hold.id}/release`, {});
  let bytes = first?.value?.byteLength ?? 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) bytes += part.value.byteLength;
  expect(bytes).toBe(Number(read.headers.get('content-length')));
});
