import { request } from 'node:http';
import { expect, it } from 'vitest';
import { subscribe } from '../../../support/receiver.ts';
import { faultyAccount, rule } from '../../../support/striking.ts';
import { EXACT_RENDERS, type TestAccount, world } from '../../../support/world.ts';

const CHAT = { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Hello' }] };
const CHATS = '/v1/chat/completions';
const SONGS = '/v1/music/generations';

/** The requests of an app. `call` keeps each response under a name. */
type Story = (
  // biome-ignore lint/suspicious/noExplicitAny: responses are read field by field
  call: (name: string, method: string, path: string, body?: object) => Promise<any>,
  account: TestAccount,
) => Promise<void>;

/** Headers that differ between two equal requests. */
const UNEQUAL = ['date', 'x-request-id', 'connection', 'keep-alive', 'content-length', 'etag'];

/** Runs a story, under a change if one is named. Returns its responses by name, its events and its ledger. */
async function seenBy(story: Story, change?: string): Promise<Record<string, unknown>> {
  const here = await world({ seed: 7 }, EXACT_RENDERS);
  await here.control('PUT', '/clock', { now: '2030-01-01T00:00:00Z', frozen: true });
  const account = await here.account({ name: 'Ana', credits: 500 });
  const { receiver } = await subscribe(account, ['music.generation.succeeded']);
  if (change) await rule(account, { change }, { times: 0 });
  const seen: Record<string, unknown> = {};
  await story(async (name, method, path, body) => {
    const answer = await here.call(method, path, body, account.headers);
    const headers = Object.fromEntries([...answer.headers].filter(([header]) => !UNEQUAL.includes(header)));
    seen[name] = { status: answer.status, headers, body: answer.body ?? answer.bytes.toString('latin1') };
    return answer.body;
  }, account);
  await account.idle();
  const events = receiver.requests.map(({ body }) => body).toSorted();
  Object.assign(seen, { events: events.map((body) => JSON.parse(body)), ledger: await account.ledger() });
  return JSON.parse(JSON.stringify(seen).replaceAll(here.url, 'URL'));
}

/** The paths at which the results with and without the change differ. */
async function differences(story: Story, change: string): Promise<string[]> {
  const [original, changed] = await Promise.all([seenBy(story), seenBy(story, change)]);
  return pathsOf(original, changed);
}

function pathsOf(original: unknown, changed: unknown, at = ''): string[] {
  if (typeof original !== 'object' || typeof changed !== 'object' || original === null || changed === null) {
    return original === changed ? [] : [at];
  }
  if (Array.isArray(original) !== Array.isArray(changed)) return [at];
  const names = [...new Set([...Object.keys(original), ...Object.keys(changed)])];
  return names.flatMap((name) =>
    pathsOf(Reflect.get(original, name), Reflect.get(changed, name), at ? `${at}.${name}` : name),
  );
}

const chat: Story = async (call) => {
  await call('chat', 'POST', CHATS, CHAT);
  await call('balance', 'GET', '/v1/account');
};

/** The first refusal comes before faults apply, the other two after. */
const refusals: Story = async (call) => {
  await call('wrong', 'POST', CHATS, { model: 'svc-rp-mini' });
  await call('missing', 'GET', `${SONGS}/job_none`);
  await call('blocked', 'POST', SONGS, { prompt: '[[block]]' });
};

/** Reads of an image, of the same image with an altered signature, and of an unknown object. */
const signed: Story = async (call) => {
  const { data } = await call('image', 'POST', '/v1/images/generations', { prompt: 'A lamp', response_format: 'url' });
  await call('read', 'GET', data[0].url);
  await call('altered', 'GET', data[0].url.replace(/signature=./, 'signature=x'));
  await call('nothing', 'GET', '/cdn/objects/obj_00/nothing.txt');
};

const song: Story = async (call, account) => {
  await call('order', 'POST', SONGS, { prompt: 'A song about fog', seconds: 30, seed: 7 });
  await account.idle();
  for (const [at, { id }] of (await account.jobs()).entries()) {
    for (const read of ['first', 'second']) await call(`take ${at + 1}, ${read}`, 'GET', `${SONGS}/${id}`);
  }
};

it.each<[string, Story, string[]]>([
  ['extra_field', chat, ['chat.body.svc_note', 'balance.body.svc_note']],
  ['key_order', chat, []],
  ['spelling', chat, []],
  ['headers', chat, ['chat.headers.x-svc-region', 'balance.headers.x-svc-region']],
  ['chunked', chat, ['chat.headers.transfer-encoding', 'balance.headers.transfer-encoding']],
  ['stream_cut', (call) => call('stream', 'POST', CHATS, { ...CHAT, stream: true }), ['stream.body']],
  ['message', refusals, ['missing.body.error.message', 'blocked.body.error.message']],
  ['cdn_path', signed, ['image.body.data.0.url']],
  ['one_more_poll', song, ['take 1, first.body.', 'take 2, first.body.']],
  ['unknown_event', song, ['events.']],
])('changes nothing but what the compatible change %s covers', async (change, story, expected) => {
  const found = await differences(story, change);
  expect(found.filter((path) => !expected.some((begin) => path.startsWith(begin)))).toEqual([]);
  expect(expected.filter((begin) => !found.some((path) => path.startsWith(begin)))).toEqual([]);
});

it('shows a final job as processing at the first read under one_more_poll, and sends a second event for each job under unknown_event', async () => {
  const polled = await seenBy(song, 'one_more_poll');
  expect(polled).toMatchObject({ 'take 1, first': { body: { status: 'processing' } } });
  expect((await seenBy(song, 'unknown_event')).events).toHaveLength(4);
});

/** The chunks of a streamed reply with multi-byte characters. */
function piecesOf({ world, headers }: TestAccount): Promise<Buffer[]> {
  const content = '[[reply:Überall hört man schöne Flöten, dann wird es still.]]';
  const body = { model: 'svc-rp-mini', stream: true, messages: [{ role: 'user', content }] };
  return new Promise((resolve, reject) => {
    const asked = request(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    asked.on('error', reject).on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve(pieces));
    });
    asked.end(JSON.stringify(body));
  });
}

function eventsOf(pieces: readonly Buffer[]): string[] {
  const events = Buffer.concat(pieces).toString().split('\n\n');
  return events.filter((event) => event.startsWith('data:'));
}

const here = await world();

it('splits a stream inside events and characters, joins events, and adds comments under the change stream_cut', async () => {
  const { account } = await faultyAccount(here, { change: 'stream_cut' });
  const other = await here.account();
  const [cut, whole] = [await piecesOf(account), await piecesOf(other)];
  expect(cut.length).toBeGreaterThan(2);
  expect(whole.length).toBe(1);
  const inside = cut.slice(0, -1).filter((piece) => !piece.toString().endsWith('\n\n'));
  expect(inside.length).toBeGreaterThan(cut.length / 2);
  expect(cut.some((piece) => piece.toString().includes('\ufffd'))).toBe(true);
  expect(cut.some((piece) => piece.toString().split('data: {').length > 2)).toBe(true);
  expect(Buffer.concat(cut).toString()).toContain('\n\n: keep-alive\n\n');
  const text = (events: string[]) => events.join('').replaceAll(/"(?:id|created|credits_remaining)":[^,}]+/g, '');
  expect(text(eventsOf(cut))).toBe(text(eventsOf(whole)));
});
