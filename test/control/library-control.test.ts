import sharp from 'sharp';
import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world();

function list(account: TestAccount, filter = '') {
  return here.control('GET', `/library?account_id=${account.id}${filter}`);
}

async function ids(account: TestAccount, filter = ''): Promise<string[]> {
  const { body } = await list(account, filter);
  return body.data.map(({ id }: { id: string }) => id);
}

/** Three entries, oldest first: a picture of a pier, a picture of a boat, spoken words. */
async function collection() {
  const account = await here.account({ credits: 100 });
  await account.post('/images/generations', { prompt: 'The Pier at dawn, 100% "calm"' });
  await account.post('/images/generations', { prompt: 'a red boat' });
  await account.post('/audio/speech', { input: 'Meet me at the pier.', voice: 'aria' });
  const entries = await account.library();
  return { account, entries: entries.map(({ id }) => String(id)) };
}

const kept = await collection();

it.each([
  ['&kind=image', [1, 0]],
  ['&kind=speech', [2]],
  ['&kind=music', []],
  ['&model=svc-voice-one', [2]],
  ['&text=PIER', [2, 0]],
  ['&text=pier%20at', [0]],
  ['&text=%22calm%22', [0]],
  ['&text=%25', [0]],
  ['&text=at', [2, 1, 0]],
  ['&text=ship', []],
  ['&text=pier&kind=image', [0]],
  ['&kind=image&limit=1', [1]],
  ['&since=2020-01-01', [2, 1, 0]],
  ['&until=2020-01-01', []],
  ['&since=2020-01-01T00:00:00Z&until=2999-01-01', [2, 1, 0]],
])('filters the library by %s [I089]', async (filter, expected) => {
  const { account, entries } = kept;
  expect(await ids(account, filter)).toEqual(expected.map((at) => entries[at]));
});

it.each([
  ['&kind=film', 'kind'],
  ['&since=yesterday', 'since'],
  ['&until=', 'until'],
])('rejects the library filter %s, and names the invalid parameter [I089]', async (filter, param) => {
  expectError(await list(await here.account(), filter), 400, 'invalid_request', param);
});

it('lists the renders of a period by the time of the clock, newest first, even if the clock was set back [I089]', async () => {
  const account = await here.account({ credits: 100 });
  const start = Date.UTC(2030, 0, 1);
  const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();
  const made: string[] = [];
  for (const seconds of [30, 10, 10, 20]) {
    await here.control('PUT', '/clock', { now: at(seconds), frozen: true });
    await account.post('/images/generations', { prompt: 'a pier' });
    const known = await ids(account);
    made.push(known.find((id) => !made.includes(id)) ?? '');
  }
  await here.control('PUT', '/clock', { now: new Date().toISOString(), frozen: false });
  const [late, early, same, middle] = made;
  const until = (seconds: number) => ids(account, `&since=${at(0)}&until=${at(seconds)}`);
  expect(await until(60)).toEqual([late, middle, same, early]);
  expect(await until(30)).toEqual([middle, same, early]);
  expect(await until(10)).toEqual([]);
  expect(await ids(account, `&since=${at(0)}&limit=1&after=${middle}`)).toEqual([same]);
});

it.each([
  ['a picture', '/images/generations', { prompt: 'a pier' }, [320, 320]],
  ['sound', '/audio/speech', { input: 'A pier.', voice: 'orion' }, [320, 96]],
  ['a video', '/videos/generations', { prompt: 'a pier', model: 'svc-motion-one', seconds: 5 }, [320, 180]],
])('returns a thumbnail of %s from a signed URL [I089]', async (_what, path, order, size) => {
  const account = await here.account({ credits: 500 });
  await account.post(path, order);
  await here.advance(0);
  const [entry] = await account.library();
  const url = String(entry?.thumbnail_url);
  const first = await here.call('GET', url);
  const second = await here.call('GET', url);
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'image/webp']);
  const { format, width, height } = await sharp(first.bytes).metadata();
  expect([format, width, height]).toEqual(['webp', ...size]);
  expect(second.bytes.equals(first.bytes)).toBe(true);
  expectError(await here.call('GET', url.replace(/.$/, 'x')), 403, 'invalid_signature');
  const [bare = ''] = url.split('?');
  expectError(await here.call('GET', bare), 403, 'invalid_signature');
});
