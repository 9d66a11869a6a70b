import { EventEmitter, once } from 'node:events';
import { Agent, request } from 'undici';
import { expect, it } from 'vitest';
import { CHAT, fileForm, socketTo } from '../support/wire.ts';
import { type TestAccount, type World, world } from '../support/world.ts';

/** A connection over which a client sends a request piece by piece. */
function wireTo(here: World) {
  const socket = socketTo(here);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return {
    send: (more: string) => new Promise((resolve) => socket.write(more, resolve)),
    /** The head of the next response, and the part of its body that has arrived. */
    async answer(): Promise<string> {
      while (!/\r\n\r\n./s.test(text)) await once(socket, 'data');
      const answer = text;
      text = '';
      return answer;
    },
    end: () => socket.destroy(),
  };
}

function head(account: TestAccount, path: string, lines: readonly string[]): string {
  const all = [`POST /v1${path} HTTP/1.1`, 'Host: localhost', ...lines];
  return `${all.join('\r\n')}\r\nAuthorization: Bearer ${account.key}\r\n\r\n`;
}

it('resets the state while the body of a request arrives; the request then has no effect, and its connection stays open [I190]', async () => {
  const here = await world({ seed: 1 });
  const account = await here.first();
  const body = JSON.stringify(CHAT);
  const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const wire = wireTo(here);
  await wire.send(head(account, '/chat/completions', lines) + body.slice(0, 10));
  await here.control('GET', '/health');
  expect((await here.control('POST', '/reset')).status).toBe(204);

  await wire.send(body.slice(10));
  expect(await wire.answer()).toMatch(/^HTTP\/1.1 502 .*"render_failed"/s);
  expect(await account.balance()).toBe(100_000);
  expect((await here.control('GET', '/requests')).body.data.map(pathOf)).toEqual(['/v1/account']);

  await wire.send(head(account, '/chat/completions', lines) + body);
  expect(await wire.answer()).toMatch(/^HTTP\/1.1 200 /);
  wire.end();
});

const pathOf = ({ path }: { path: string }) => path;

it('restores a snapshot during an upload, which then has no effect [I190]', async () => {
  const here = await world({ seed: 1 });
  const account = await here.account();
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
  const lines = ['Content-Type: multipart/form-data; boundary=b', 'Content-Length: 1000'];
  const wire = wireTo(here);
  await wire.send(head(account, '/storage/objects', lines) + form);
  await here.control('POST', '/snapshots', { name: 'a' });
  expect((await here.control('POST', '/snapshots/a/restore')).status).toBe(200);
  const rest = '\r\n--b--\r\n';
  await wire.send('x'.repeat(1000 - form.length - rest.length) + rest);
  expect(await wire.answer()).toMatch(/^HTTP\/1.1 502 .*"render_failed"/s);
  expect((await account.get('/storage/objects')).body.data).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50']);
  wire.end();
});

it('lets a slow download continue after a reset deleted its file [I085]', async () => {
  const here = await world();
  const account = await here.account();
  const bytes = Buffer.alloc(9 * 1_048_576, 'frames');
  const { url } = (await account.post('/storage/objects', fileForm(bytes))).body;
  const answer = await fetch(url);
  const reader = answer.body?.getReader();
  await reader?.read();
  expect((await here.control('POST', '/reset')).status).toBe(204);
  let length = 0;
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) break;
    length += part.value.length;
  }
  expect(length).toBeGreaterThan(bytes.length - 1_048_576);
  expect((await here.call('GET', url)).status).toBe(404);
});

it.each([
  ['chat', '/chat/completions', { ...CHAT, messages: [{ role: 'user', content: '[[slow:900]]' }] }],
  ['picture', '/images/generations', { prompt: 'a snail [[slow:900]]' }],
  ['speech', '/audio/speech', { input: 'hello [[slow:900]]', voice: 'aria' }],
])(
  'ends a slow %s with an error if a snapshot is restored, and leaves the restored state unchanged [I190]',
  async (_what, path, order) => {
    const here = await world();
    const account = await here.account();
    await here.control('POST', '/snapshots', { name: 'a' });
    const waiting = account.post(path, order);
    await account.charged();
    await here.control('POST', '/snapshots/a/restore');
    const { status, body } = await waiting;
    expect([status, body.error.code]).toEqual([502, 'render_failed']);
    expect(await account.ledger()).toEqual(['grant 50']);
    expect(await account.jobs()).toEqual([]);
    await here.advance(1000);
    expect(await account.events()).toEqual([]);
    expect(await here.invariants()).toMatchObject({ ok: true });
  },
);

/** A client that keeps one connection and counts how often it connects. */
function clientOf({ world, headers }: TestAccount) {
  const agent = new Agent({ connections: 1 });
  let connections = 0;
  agent.on('connect', () => {
    connections += 1;
  });
  const type = { 'content-type': 'multipart/form-data; boundary=b' };
  return {
    async upload(name: string): Promise<number> {
      const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${name}\r\n--b--\r\n`;
      const sent = { method: 'POST', headers: { ...headers, ...type }, body, dispatcher: agent } as const;
      const answer = await request(`${world.url}/v1/storage/objects`, sent);
      await answer.body.dump();
      return answer.statusCode;
    },
    connections: () => connections,
    end: () => agent.destroy(),
  };
}

const RESTORES = 3;

it('keeps or discards each upload of 32 clients as a whole during three restores, and keeps their connections open [I140 I190 I136]', async () => {
  const here = await world();
  const account = await here.account({ credits: 1_000_000 });
  await here.control('POST', '/snapshots', { name: 'empty' });
  const clients = Array.from({ length: 32 }, () => clientOf(account));
  const uploads: { name: string; status: number; sent: number; answered: number }[] = [];
  const told = new EventEmitter();
  let era = 0;
  let going = true;
  const work = clients.map(async (client, c) => {
    for (let n = 0; going || n === 0; n += 1) {
      const sent = era;
      const name = `c${c}-${n}.txt`;
      const status = await client.upload(name);
      uploads.push({ name, status, sent, answered: era });
      told.emit('upload');
    }
  });
  // A restore runs while `era` is odd.
  for (let round = 0; round < RESTORES; round += 1) {
    const enough = uploads.length + 32;
    while (uploads.length < enough) await once(told, 'upload');
    era += 1;
    expect((await here.control('POST', '/snapshots/empty/restore')).status).toBe(200);
    era += 1;
  }
  going = false;
  await Promise.all(work);

  const { body } = await account.get('/storage/objects');
  const kept = new Set(body.data.map(({ url }: { url: string }) => url.split('/').at(-1)));
  for (const { name, status, sent, answered } of uploads) {
    expect([200, 502]).toContain(status);
    const may = status === 200 && answered >= 2 * RESTORES - 1;
    if (kept.has(name)) expect([name, may]).toEqual([name, true]);
    if (sent === 2 * RESTORES) expect([name, status, kept.has(name)]).toEqual([name, 200, true]);
  }
  expect(await account.ledger()).toHaveLength(kept.size + 2);
  for (const { url } of body.data) expect((await here.call('GET', url)).status).toBe(200);
  expect(clients.map(({ connections }) => connections())).toEqual(clients.map(() => 1));
  expect(await here.invariants()).toMatchObject({ ok: true });
  for (const client of clients) await client.end();
});

it('completes parallel resets, restores and snapshots, and responds to health checks meanwhile [I085 I093]', async () => {
  const here = await world();
  await here.control('POST', '/snapshots', { name: 'a' });
  const changes = ['/reset', '/snapshots/a/restore', '/snapshots', '/reset', '/snapshots/a/restore'];
  const answers = await Promise.all([
    ...changes.map((path) => here.control('POST', path, path === '/snapshots' ? { name: 'b' } : undefined)),
    ...changes.map(() => here.control('GET', '/health')),
    ...changes.map(() => here.control('GET', '/accounts')),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([
    ...[204, 200, 201, 204, 200],
    ...changes.map(() => 200),
    ...changes.map(() => 200),
  ]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
