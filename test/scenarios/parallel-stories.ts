import OpenAI from 'openai';
import { expect } from 'vitest';
import { verifySignature } from '../../src/engine/webhooks/signature.ts';
import { Receiver } from '../support/receiver.ts';
import { expectScenario, type Scenario } from '../support/scenario.ts';
import { chatOf, reply, script } from '../support/scripting.ts';
import { rule } from '../support/striking.ts';
import { fileForm } from '../support/wire.ts';
import type { TestAccount, World } from '../support/world.ts';

const HELLO = { model: 'svc-rp-mini', messages: [{ role: 'user' as const, content: 'Hello.' }] };
const SONG = { prompt: 'a waltz for two', seconds: 30, n: 1 };
const DONE = 'music.generation.succeeded';
const LOST = 'music.generation.failed';
const CHATS = { send: 'POST /chat/completions', body: HELLO, ledger: ['charge -1'] };
const SINGS = { send: 'POST /music/generations', body: SONG, status: 202, ledger: ['charge -3'], events: [DONE] };

/** Test cases that each use their own account, so that any number can run at once on one instance. */
const STORIES: Record<string, (account: TestAccount) => Promise<void>> = {
  'charges a chat': (account) => ask(account, CHATS),
  'refunds an image that fails': (account) =>
    ask(account, {
      ...{ send: 'POST /images/generations', body: { prompt: 'a barn [[fail]]' }, status: 502 },
      ...{ ledger: ['charge -10', 'refund 10'], events: ['image.generation.failed'] },
    }),
  async 'applies a fault rule to one request, and does not charge it'(account) {
    const shown = await rule(account, { status: 503 });
    await ask(account, { ...CHATS, status: 503, ledger: [] }, CHATS, CHATS);
    expect(await shown()).toMatchObject({ applied: 1 });
  },
  async 'serves a client that retries after two 429 responses of a fault rule'(account) {
    const shown = await rule(account, { status: 429, retry_after: 0 }, { times: 2 });
    expect((await openai(account).create(HELLO)).choices).toHaveLength(1);
    expect(await shown()).toMatchObject({ applied: 2 });
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 450', 'charge -1']);
  },
  async 'fails a song by a fault rule, and refunds it'(account) {
    await rule(account, { fail_job: 'too_loud' }, { match: { path: '/v1/music' } });
    await ask(account, { ...SINGS, ledger: ['charge -3', 'refund 3'], events: [LOST] });
    expect(await account.jobs()).toMatchObject([{ status: 'failed', error: { code: 'too_loud' } }]);
  },
  async 'cuts a stream by a fault rule, and charges it'(account) {
    await rule(account, { stream: { cut_after: 2 } });
    const stream = await openai(account).create({ ...HELLO, stream: true });
    const read = async () => {
      for await (const _ of stream);
    };
    await expect(read()).rejects.toThrow();
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 450', 'charge -1']);
  },
  async 'ends a song at its second poll in mode polls'(account) {
    await progress(account, { mode: 'polls', value: 2 });
    const { body } = await account.post('/music/generations', SONG);
    const look = async () => (await account.get(`/music/generations/${body.data[0].id}`)).body.status;
    expect(await look()).not.toBe('succeeded');
    expect(await look()).toBe('succeeded');
    expect(await account.events()).toEqual([DONE]);
  },
  async 'ends one take as succeeded and one as failed by finishJob'(account) {
    await progress(account, { mode: 'manual' });
    const { body } = await account.post('/music/generations', { ...SONG, n: 2 });
    const finish = async (at: number, end: object) =>
      (await account.world.control('POST', `/jobs/${body.data[at].id}/finish`, end)).status;
    expect(await finish(1, { outcome: 'failed', code: 'flat' })).toBe(200);
    expect(await finish(0, { outcome: 'succeeded' })).toBe(200);
    expect(await finish(0, { outcome: 'failed' })).toBe(409);
    expect((await account.ledger()).slice(2)).toEqual(['charge -3', 'charge -3', 'refund 3']);
    expect(await account.events()).toEqual([LOST, DONE]);
  },
  'announces a song with a valid signature': async (account) =>
    expect(await genuine(account, async () => ask(account, SINGS))).toEqual([true]),
  async 'signs one of two events wrong by a fault rule'(account) {
    await rule(account, { webhook: 'bad_signature' });
    expect(await genuine(account, async () => ask(account, SINGS, SINGS))).toEqual([false, true]);
  },
  async 'returns a scripted answer once'(account) {
    await script(account, { answer: { text: `For ${account.id}.` }, times: 1 });
    expect(await reply(account, 'Hello.')).toBe(`For ${account.id}.`);
    expect(await reply(account, 'Hello.')).not.toBe(`For ${account.id}.`);
    await ask(account, { ...CHATS, body: chatOf('Hello.') });
  },
  async 'stores and serves a file, and deletes it'(account) {
    const { body } = await account.post('/storage/objects', fileForm(account.id));
    expect((await account.world.call('GET', body.url)).bytes.toString()).toBe(account.id);
    await account.delete(`/storage/objects/${body.id}`);
    expect((await account.world.call('GET', body.url)).status).toBe(404);
    expect((await account.ledger()).slice(2)).toEqual(['charge -2']);
  },
  async 'transcribes its own speech'(account) {
    const input = `I am ${account.id}.`;
    const { bytes } = await account.post('/audio/speech', { input, voice: 'aria' });
    const heard = { send: 'POST /audio/transcriptions', body: fileForm(bytes, 'speech.mp3'), answer: { text: input } };
    await ask(account, { ...heard, ledger: ['charge -5'] });
  },
  async 'reports an account as idle when its song has ended'(account) {
    const { body } = await account.post('/music/generations', SONG);
    await account.idle();
    expect(await account.jobs()).toMatchObject([{ id: body.data[0].id, status: 'succeeded' }]);
  },
  async 'rejects an image that the balance does not cover'(account) {
    const poor = await account.world.account({ credits: 5 });
    await ask(poor, { send: 'POST /images/generations', body: { prompt: 'a barn' }, status: 402 });
  },
  async 'lists the requests of one account in the journal'(account) {
    await account.post('/chat/completions', HELLO);
    await account.get('/account');
    const { body } = await account.world.control('GET', `/requests?account_id=${account.id}`);
    expect(body.data.map(({ path }: { path: string }) => path)).toEqual(['/v1/account', '/v1/chat/completions']);
  },
};

/** Every story `rounds` times, each on its own account. */
export function manyStories(rounds: number): { title: string; tell: (world: World) => Promise<void> }[] {
  return Array.from({ length: rounds }, (_, round) =>
    Object.entries(STORIES).map(([title, tell]) => ({
      title: `${title} while other accounts work (${round + 1})`,
      tell: async (world: World) => tell(await world.account({ plan: 'studio', credits: 500 })),
    })),
  ).flat();
}

async function ask(account: TestAccount, ...rows: Scenario[]): Promise<void> {
  for (const row of rows) await expectScenario(account.world, { ...row, as: account });
}

function openai({ key, world }: TestAccount) {
  return new OpenAI({ apiKey: key, baseURL: `${world.url}/v1` }).chat.completions;
}

async function progress(account: TestAccount, progression: object): Promise<void> {
  const order = { ...progression, account_id: account.id };
  expect((await account.world.control('PUT', '/progression', order)).status).toBe(200);
}

/** Whether each delivery that `work` causes has a valid signature. */
async function genuine(account: TestAccount, work: () => Promise<void>): Promise<boolean[]> {
  const receiver = await Receiver.start();
  const { body } = await account.post('/webhooks', { url: `${receiver.origin}/hooks`, events: [DONE] });
  await work();
  await account.idle();
  await receiver.close();
  return receiver.requests.map(({ body: payload, headers }) => {
    try {
      verifySignature({ payload, header: headers['svc-signature'], secret: body.secret });
      return true;
    } catch {
      return false;
    }
  });
}
