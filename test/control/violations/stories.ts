import { createHash } from 'node:crypto';
import type { Teller } from './two-worlds.ts';

/** What an app does with the service, as short as a violation needs it. Every story reads the balance last. */
export type Story = (teller: Teller) => Promise<void>;

const CHAT = '/v1/chat/completions';
const SONG = '/v1/music/generations';
const OBJECTS = '/v1/storage/objects';

function chatOrder(content: string, more: object = {}) {
  return { model: 'svc-rp-mini', messages: [{ role: 'user', content }], ...more };
}

function form(text: string): FormData {
  const data = new FormData();
  data.set('file', new Blob([text], { type: 'text/plain' }), 'note.txt');
  return data;
}

async function balance(teller: Teller): Promise<void> {
  await teller.call('balance', 'GET', '/v1/account');
  await teller.books();
}

export const chat: Story = async (teller) => {
  await teller.call('chat', 'POST', CHAT, chatOrder('Hello'));
  await balance(teller);
};

export const failedChat: Story = async (teller) => {
  await teller.call('chat', 'POST', CHAT, { ...chatOrder('[[fail]]'), model: 'svc-rp-plus' });
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

export const poor: Story = async (teller) => {
  const match = { account_id: teller.account.id };
  await teller.world.control('POST', '/faults', { match, effect: { status: 402 } });
  await teller.call('chat', 'POST', CHAT, chatOrder('Hello'));
};

export const speech: Story = async (teller) => {
  await teller.call('speech', 'POST', '/v1/audio/speech', { input: 'Hello', voice: 'aria' });
  await balance(teller);
};

export const storedImage: Story = async (teller) => {
  await teller.call('image', 'POST', '/v1/images/generations', { prompt: 'A lamp', store: true });
  await balance(teller);
};

export const image: Story = async (teller) => {
  await teller.call('image', 'POST', '/v1/images/generations', { prompt: 'A lamp' });
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
/** Two takes that fail. */
export const failedSong = songOf('A song about fog [[fail]]');
/** The second of two takes fails. */
export const halfSong = songOf('A song about fog [[fail:take=2]]');

export const refusedSong: Story = async (teller) => {
  await teller.call('order', 'POST', SONG, { prompt: '[[block]]' });
  await balance(teller);
};

export const refusedLyrics: Story = async (teller) => {
  await teller.call('order', 'POST', SONG, { prompt: 'Fog [[block:lyrics]]', seconds: 30 });
  await balance(teller);
};

export const files: Story = async (teller) => {
  for (let n = 0; n < 22; n += 1) await teller.call(`upload ${n}`, 'POST', OBJECTS, form(`note ${n}`));
  await teller.call('list', 'GET', OBJECTS);
  await teller.call('page', 'GET', `${OBJECTS}?limit=2`);
};

/** Refusals of every kind: 400, 401, 404, 404 of the CDN, and a page of endpoints. */
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

/** The files of two takes. */
export const songFiles: Story = async (teller) => {
  await teller.call('order', 'POST', SONG, { prompt: 'A song about fog', seconds: 60, seed: 7 });
  await teller.account.idle();
  for (const [at, id] of (await jobsOf(teller)).entries()) {
    const { body } = await teller.call(`take ${at + 1}`, 'GET', `${SONG}/${id}`);
    const { bytes } = await teller.call(`file ${at + 1}`, 'GET', body.result_url);
    teller.seen[`sound ${at + 1}`] = createHash('sha256').update(bytes).digest('hex');
  }
};

/** A deletion, the file after it, the list, and a second deletion. */
export const deletion: Story = async (teller) => {
  const { body } = await teller.call('upload', 'POST', OBJECTS, form('note'));
  await teller.call('delete', 'DELETE', `${OBJECTS}/${body.id}`);
  await teller.call('file', 'GET', body.url);
  await teller.call('list', 'GET', OBJECTS);
  await teller.call('again', 'DELETE', `${OBJECTS}/${body.id}`);
};

/** A request with a key that was revoked, and one with a key that never was. */
export const revoked: Story = async (teller) => {
  const { world, account } = teller;
  const { body } = await world.control('POST', `/accounts/${account.id}/keys`);
  await world.control('DELETE', `/keys/${body.id}`);
  const read = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const { status } = await fetch(`${world.url}/v1/account`, { headers });
    return status;
  };
  teller.seen.revoked = await read(body.api_key ?? body.key);
  teller.seen.missing = await fetch(`${world.url}/v1/account`).then(({ status }) => status);
};
