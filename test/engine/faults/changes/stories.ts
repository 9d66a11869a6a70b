import type { Teller } from './two-worlds.ts';

/** What an app does with the service, as short as a change needs it. Every story reads the balance last. */
export type Story = (teller: Teller) => Promise<void>;

const CHAT = '/v1/chat/completions';
const SONG = '/v1/music/generations';

function chatOrder(content: string, more: object = {}) {
  return { model: 'svc-rp-mini', messages: [{ role: 'user', content }], ...more };
}

async function balance(teller: Teller): Promise<void> {
  await teller.call('balance', 'GET', '/v1/account');
  await teller.books();
}

export const chat: Story = async (teller) => {
  await teller.call('chat', 'POST', CHAT, chatOrder('Hello'));
  await balance(teller);
};

export const streamed: Story = async (teller) => {
  const { body } = await teller.call('stream', 'POST', CHAT, chatOrder('Hello', { stream: true }));
  teller.seen['stream.raw'] = String(body);
  const events = String(body)
    .split('\n\n')
    .filter((event) => event.startsWith('data:'));
  teller.seen.stream = events.map((event) => (event.includes('[DONE]') ? 'done' : JSON.parse(event.slice(6))));
};

function songOf(prompt: string): Story {
  return async (teller) => {
    await teller.listen(['music.generation.succeeded', 'music.generation.failed']);
    const { body } = await teller.call('order', 'POST', SONG, { prompt, seconds: 30, seed: 7 });
    await teller.account.idle();
    const ids: string[] = await jobsOf(teller);
    for (const [at, id] of ids.entries()) {
      await teller.call(`take ${at + 1}`, 'GET', `${SONG}/${id}`);
      await teller.call(`take ${at + 1} again`, 'GET', `${SONG}/${id}`);
    }
    if (body.error === undefined) await teller.come(teller.silent ?? 2);
    await balance(teller);
  };
}

async function jobsOf({ account }: Teller): Promise<string[]> {
  return (await account.jobs()).map(({ id }) => id);
}

/** Two takes that succeed, with their events and two reads of each. */
export const song = songOf('A song about fog');
/** A refusal before faults act, and two after. */
export const refusals: Story = async (teller) => {
  await teller.call('wrong', 'POST', CHAT, { model: 'svc-rp-mini' });
  await teller.call('missing', 'GET', `${SONG}/job_none`);
  await teller.call('blocked', 'POST', SONG, { prompt: '[[block]]' });
};

/** Reads of a stored picture, of the picture with an altered signature, and of one after eight days. */
export const signed: Story = async (teller) => {
  const { body } = await teller.call('image', 'POST', '/v1/images/generations', {
    prompt: 'A lamp',
    response_format: 'url',
  });
  const url: string = body.data[0].url;
  await teller.call('read', 'GET', url);
  await teller.call('altered', 'GET', url.replace(/signature=./, 'signature=x'));
  await teller.call('nothing', 'GET', `${new URL(url).origin}/cdn/objects/obj_00/nothing.txt`);
};
