import OpenAI from 'openai';
import Stripe from 'stripe';
import { expect } from 'vitest';
import { Receiver } from '../support/receiver.ts';
import { fileForm } from '../support/wire.ts';
import type { TestAccount, World } from '../support/world.ts';

/** A story on an account of its own: any number of them may be told at once on one instance. */
export interface Story {
  title: string;
  tell(account: TestAccount): Promise<void>;
}

const MESSAGES = [{ role: 'user' as const, content: 'Hello.' }];
const CHAT = { model: 'svc-rp-mini', messages: MESSAGES };
const SONG = { prompt: 'a waltz for two', seconds: 30, n: 1 };
const OPENED = ['grant 50', 'top_up 450'];

export const STORIES: readonly Story[] = [
  {
    title: 'pays for a chat',
    async tell(account) {
      expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -1']);
      expect(await account.events()).toEqual([]);
    },
  },
  {
    title: 'is refunded for a picture that fails',
    async tell(account) {
      const order = { prompt: 'a barn [[fail]]' };
      expect((await account.post('/images/generations', order)).status).toBe(502);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -10', 'refund 10']);
      expect(await account.events()).toEqual(['image.generation.failed']);
    },
  },
  {
    title: 'is struck once by a rule of its own, and not charged for it',
    async tell(account) {
      const id = await addRule(account, { effect: { status: 503 } });
      const statuses = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await account.post('/chat/completions', CHAT)).status);
      expect(statuses).toEqual([503, 200, 200]);
      expect(await strikesOf(account, id)).toBe(1);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -1', 'charge -1']);
    },
  },
  {
    title: 'does not notice two strikes behind a client that tries again',
    async tell(account) {
      const id = await addRule(account, { effect: { status: 429, retry_after: 0 }, times: 2 });
      const { choices } = await openai(account).chat.completions.create(CHAT);
      expect(choices).toHaveLength(1);
      expect(await strikesOf(account, id)).toBe(2);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -1']);
    },
  },
  {
    title: 'loses a song to a rule, and its credits come back',
    async tell(account) {
      await addRule(account, { match: { path: '/v1/music' }, effect: { fail_job: 'too_loud' } });
      const { body } = await account.post('/music/generations', SONG);
      const job = await waitFor(account, `job:${body.data[0].id}`);
      expect(job).toMatchObject({ status: 'failed', error: { code: 'too_loud' } });
      expect(await account.ledger()).toEqual([...OPENED, 'charge -3', 'refund 3']);
      expect(await account.events()).toEqual(['music.generation.failed']);
    },
  },
  {
    title: 'sees its stream cut, and pays for it',
    async tell(account) {
      await addRule(account, { effect: { stream: { cut_after: 2 } } });
      const stream = await openai(account).chat.completions.create({ ...CHAT, stream: true });
      const read = async () => {
        for await (const _ of stream);
      };
      await expect(read()).rejects.toThrow();
      expect(await account.ledger()).toEqual([...OPENED, 'charge -1']);
    },
  },
  {
    title: 'has its songs done at the second look',
    async tell(account) {
      await progress(account, { mode: 'polls', value: 2 });
      const { body } = await account.post('/music/generations', SONG);
      const look = () => account.get(`/music/generations/${body.data[0].id}`);
      expect((await look()).body.status).not.toBe('succeeded');
      expect((await look()).body.status).toBe('succeeded');
      expect(await account.events()).toEqual(['music.generation.succeeded']);
    },
  },
  {
    title: 'ends one job well and one badly, by hand',
    async tell(account) {
      await progress(account, { mode: 'manual' });
      const { body } = await account.post('/music/generations', { ...SONG, n: 2 });
      const [first, second] = body.data;
      const finish = (id: string, end: object) => account.world.control('POST', `/jobs/${id}/finish`, end);
      expect((await finish(second.id, { outcome: 'failed', code: 'flat' })).status).toBe(200);
      expect((await finish(first.id, { outcome: 'succeeded' })).status).toBe(200);
      expect((await finish(first.id, { outcome: 'failed' })).status).toBe(409);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -3', 'charge -3', 'refund 3']);
      expect((await account.events()).toSorted()).toEqual(['music.generation.failed', 'music.generation.succeeded']);
    },
  },
  {
    title: 'hears of its song by a webhook that verifies',
    async tell(account) {
      const { receiver, secret } = await subscribe(account);
      await account.post('/music/generations', SONG);
      await waitFor(account, 'delivery:music.generation.succeeded');
      const [request] = await receiver.received(1);
      expect(request && verified(request, secret)).toBe(true);
      expect(receiver.requests).toHaveLength(1);
      await receiver.close();
    },
  },
  {
    title: 'is sent a signature that does not fit, once',
    async tell(account) {
      const { receiver, secret } = await subscribe(account);
      await addRule(account, { effect: { webhook: 'bad_signature' } });
      for (let n = 0; n < 2; n += 1) {
        const { body } = await account.post('/music/generations', SONG);
        await waitFor(account, `job:${body.data[0].id}`);
      }
      const requests = await receiver.received(2);
      expect(requests.map((request) => verified(request, secret))).toEqual([false, true]);
      await receiver.close();
    },
  },
  {
    title: 'is answered from a script of its own',
    async tell(account) {
      const match = { operation: 'createChatCompletion', account_id: account.id };
      const fixtures = [{ match, answer: { text: `For ${account.id}.` }, times: 1 }];
      await account.world.control('POST', '/fixtures', { fixtures });
      const first = await account.post('/chat/completions', CHAT);
      const second = await account.post('/chat/completions', CHAT);
      expect(first.body.choices[0].message.content).toBe(`For ${account.id}.`);
      expect(second.body.choices[0].message.content).not.toBe(`For ${account.id}.`);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -1', 'charge -1']);
    },
  },
  {
    title: 'keeps a file and takes it away again',
    async tell(account) {
      const { body } = await account.post('/storage/objects', fileForm(account.id));
      expect((await account.world.call('GET', body.url)).bytes.toString()).toBe(account.id);
      await account.delete(`/storage/objects/${body.id}`);
      expect((await account.world.call('GET', body.url)).status).toBe(404);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -2']);
    },
  },
  {
    title: 'hears its own words again',
    async tell(account) {
      const speech = await account.post('/audio/speech', {
        input: `I am ${account.id}.`,
        voice: 'aria',
      });
      const { body } = await account.post('/audio/transcriptions', fileForm(speech.bytes, 'speech.mp3'));
      expect(body.text).toBe(`I am ${account.id}.`);
      expect(await account.ledger()).toEqual([...OPENED, 'charge -3', 'charge -5']);
    },
  },
  {
    title: 'is quiet when its work is done, whatever others do',
    async tell(account) {
      const { body } = await account.post('/music/generations', SONG);
      await waitFor(account, 'idle');
      const { body: job } = await account.world.control('GET', `/jobs?account_id=${account.id}`);
      expect(job.data).toMatchObject([{ id: body.data[0].id, status: 'succeeded' }]);
    },
  },
  {
    title: 'starts nothing that it cannot pay',
    async tell(account) {
      const poor = await account.world.account({ credits: 5 });
      const answer = await poor.post('/images/generations', { prompt: 'a barn' });
      expect(answer.status).toBe(402);
      expect(await poor.ledger()).toEqual(['grant 5']);
      expect(await poor.jobs()).toEqual([]);
    },
  },
  {
    title: 'finds its own requests in the journal, and no others',
    async tell(account) {
      await account.post('/chat/completions', CHAT);
      await account.get('/account');
      const { body } = await account.world.control('GET', `/requests?account_id=${account.id}`);
      expect(body.data.map(({ path }: { path: string }) => path)).toEqual(['/v1/account', '/v1/chat/completions']);
    },
  },
];

/** Every story `rounds` times, each on an account of its own, all at once. */
export function manyStories(rounds: number): { title: string; tell: (world: World) => Promise<void> }[] {
  return Array.from({ length: rounds }, (_, round) =>
    STORIES.map(({ title, tell }) => ({
      title: `${title}, ${round + 1}`,
      tell: async (world: World) => tell(await world.account({ plan: 'studio', credits: 500 })),
    })),
  ).flat();
}

function openai(account: TestAccount): OpenAI {
  return new OpenAI({ apiKey: account.key, baseURL: `${account.world.url}/v1` });
}

async function addRule(account: TestAccount, rule: { match?: object; effect: object; times?: number }) {
  const match = { ...rule.match, account_id: account.id };
  const { status, body } = await account.world.control('POST', '/faults', { ...rule, match });
  expect(status).toBe(201);
  return body.id as string;
}

async function strikesOf(account: TestAccount, id: string): Promise<number> {
  const { body } = await account.world.control('GET', `/faults?account_id=${account.id}`);
  return body.data.find((rule: { id: string }) => rule.id === id).strikes;
}

async function progress(account: TestAccount, progression: object): Promise<void> {
  const order = { ...progression, account_id: account.id };
  expect((await account.world.control('PUT', '/progression', order)).status).toBe(200);
}

/** Nobody sleeps: it answers when it is so. Hundreds at once share two cores, so the limit is far off. */
// biome-ignore lint/suspicious/noExplicitAny: records are asserted field by field
async function waitFor(account: TestAccount, what: string): Promise<any> {
  const query = `for=${what}&account_id=${account.id}&timeout=120`;
  const { status, body } = await account.world.control('GET', `/wait?${query}`);
  expect(status).toBe(200);
  return body;
}

async function subscribe(account: TestAccount) {
  const receiver = await Receiver.start();
  const events = ['music.generation.succeeded'];
  const { body } = await account.post('/webhooks', { url: `${receiver.origin}/hooks`, events });
  return { receiver, secret: body.secret as string };
}

function verified(request: { body: string; headers: NodeJS.Dict<string | string[]> }, secret: string): boolean {
  try {
    Stripe.webhooks.constructEvent(request.body, String(request.headers['svc-signature']), secret);
    return true;
  } catch {
    return false;
  }
}
