import { expect, it } from 'vitest';
import { CHAT } from '../support/wire.ts';
import { type World, world } from '../support/world.ts';

interface Message {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: messages are asserted field by field
  data: any;
}

/** A client of the stream: `next` waits for a message of a kind, in their order. */
class Listener {
  readonly messages: Message[] = [];
  readonly #gone = new AbortController();
  #read = 0;
  #text = '';
  #chunks: AsyncIterator<Uint8Array> | undefined;

  static async join(at: World, after?: string): Promise<Listener> {
    const listener = new Listener();
    const query = after === undefined ? '' : `?after=${after}`;
    const response = await fetch(`${at.url}/_emulator/live${query}`, {
      signal: listener.#gone.signal,
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    if (response.body) listener.#chunks = response.body[Symbol.asyncIterator]();
    return listener;
  }

  async next(event: string): Promise<Message> {
    for (;;) {
      const message = this.messages[this.#read];
      if (message) {
        this.#read += 1;
        if (message.event === event) return message;
      } else if (!(await this.#receive())) throw new Error(`the stream ended before ${event}`);
    }
  }

  /** Requests of `count` in all, as they come. */
  async requests(count: number): Promise<{ path: string; status: number }[]> {
    const found = [];
    while (found.length < count) found.push(...(await this.next('batch')).data.requests);
    return found;
  }

  async ended(): Promise<boolean> {
    while (await this.#receive());
    return true;
  }

  leave(): void {
    this.#gone.abort();
  }

  async #receive(): Promise<boolean> {
    const chunk = await this.#chunks?.next();
    if (!chunk || chunk.done) return false;
    this.#text += Buffer.from(chunk.value).toString();
    const blocks = this.#text.split('\n\n');
    this.#text = blocks.pop() ?? '';
    this.messages.push(...blocks.map(readBlock));
    return true;
  }
}

function readBlock(block: string): Message {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  return {
    id: fields.id ?? '',
    event: fields.event ?? '',
    data: JSON.parse(fields.data ?? 'null'),
  };
}

it('tells a request in one line without its bodies, and what it warned of [I157]', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const listener = await Listener.join(emulator);
  await listener.next('hello');
  const { headers } = await account.post('/chat/completions', { ...CHAT, top_p: 1 });
  await account.post('/nowhere', {});
  const [chat, miss] = await listener.requests(2);
  expect(chat).toMatchObject({
    id: headers.get('x-request-id'),
    account_id: account.id,
    path: '/v1/chat/completions',
    status: 200,
    credits: 1,
    error: null,
    warnings: 'top_p',
  });
  expect(chat).not.toHaveProperty('request');
  expect(miss).toMatchObject({ status: 404, error: 'not_found', warnings: null });
  const { body } = await emulator.control('GET', '/requests?brief=true&limit=1');
  expect(body.data).toEqual([miss]);
  const one = await emulator.control('GET', `/requests/${headers.get('x-request-id')}`);
  expect(JSON.parse(one.body.request)).toMatchObject({ top_p: 1 });
  expect((await emulator.control('GET', '/requests/req_none')).status).toBe(404);
  listener.leave();
});

it('tells of renders, events and what the control surface changed', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const listener = await Listener.join(emulator);
  await account.post('/images/generations', { prompt: 'a lamp' });
  await emulator.control('PUT', '/clock', { frozen: true });
  const seen = new Set<string>();
  while (!(seen.has('job') && seen.has('event') && seen.has('control clock'))) {
    const { notices } = (await listener.next('batch')).data;
    for (const { kind, id } of notices) seen.add(kind === 'control' ? `control ${id}` : kind);
  }
  // Nobody listens to its event: there is no delivery to be told of.
  expect([...seen]).not.toContain('delivery');
  listener.leave();
});

it('tells of what is under way, also to whoever comes later, until it is answered', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const first = await Listener.join(emulator);
  const { body } = await emulator.control('POST', '/holds', { match: { account_id: account.id }, at: 'request' });
  const answer = account.post('/chat/completions', CHAT);
  const openOf = async () => {
    for (;;) {
      const { open } = (await first.next('batch')).data;
      if (open) return open;
    }
  };
  const told = { method: 'POST', path: '/v1/chat/completions', account_id: account.id, began: expect.any(Number) };
  expect(await openOf()).toEqual([{ id: expect.stringMatching(/^req_/), ...told }]);
  const second = await Listener.join(emulator);
  expect((await second.next('hello')).data.open).toMatchObject([told]);
  await emulator.control('POST', `/holds/${body.id}/release`, {});
  expect(await openOf()).toEqual([]);
  expect((await answer).status).toBe(200);
  first.leave();
  second.leave();
});

it('goes on after the last message that came, or says that this is lost', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const first = await Listener.join(emulator);
  await account.get('/account');
  let { id, data } = await first.next('batch');
  // On a busy machine it may have been told as one that is under way.
  while (data.requests.length === 0) ({ id, data } = await first.next('batch'));
  first.leave();
  await account.get('/models');
  await account.get('/nowhere');
  const second = await Listener.join(emulator, id);
  expect((await second.requests(2)).map(({ path }) => path)).toEqual(['/v1/models', '/v1/nowhere']);
  second.leave();
  for (const unknown of ['another-1', `${id}9`, 'x']) {
    const third = await Listener.join(emulator, unknown);
    await third.next('lost');
    third.leave();
  }
});

it('tells of a reset and of a restore, and goes on after them', async () => {
  const emulator = await world();
  const listener = await Listener.join(emulator);
  await emulator.control('POST', '/snapshots', { name: 'kept' });
  await emulator.control('POST', '/reset');
  await listener.next('reset');
  await emulator.control('POST', '/snapshots/kept/restore');
  await listener.next('restored');
  await emulator.call('GET', '/v1/models');
  expect(await listener.requests(1)).toMatchObject([{ path: '/v1/models', status: 200 }]);
  listener.leave();
});

it('ends when the emulator stops', async () => {
  const { startEmulator } = await import('../../src/emulator.ts');
  const { ephemeral } = await import('../support/world.ts');
  const emulator = await startEmulator(ephemeral());
  const listener = await Listener.join({ url: emulator.url } as World);
  await listener.next('hello');
  const [, hasEnded] = await Promise.all([emulator.close(), listener.ended()]);
  expect(hasEnded).toBe(true);
});

it('tells a thousand requests in few messages, none twice and none left out unsaid', async () => {
  const emulator = await world();
  const account = await emulator.account();
  const listener = await Listener.join(emulator);
  await listener.next('hello');
  const answers = await Promise.all(Array.from({ length: 1000 }, () => account.get('/account')));
  const ids = new Set(answers.map(({ headers }) => headers.get('x-request-id')));
  const told = new Set<string>();
  let leftOut = 0;
  let messages = 0;
  while (told.size + leftOut < ids.size) {
    const { requests, left_out } = (await listener.next('batch')).data;
    messages += 1;
    leftOut += left_out.requests;
    for (const { id } of requests) told.add(id);
  }
  expect([...told].every((id) => ids.has(id))).toBe(true);
  // On a busy machine they take seconds, of which each has its message.
  expect(messages).toBeLessThan(ids.size / 2);
  listener.leave();
});
