import sharp from 'sharp';
import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { OWN_RENDERS, type TestAccount, world } from '../support/world.ts';

const here = await world({}, OWN_RENDERS);
const VIDEOS = '/videos/generations';

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

it('shows each entry with its recipe, its cost, its job and where its file is [I047 I089]', async () => {
  const account = await here.account();
  await account.post('/images/generations', { prompt: 'a pier', cfg_scale: 3 });
  const [entry] = await account.library();
  const [job] = await account.jobs();
  expect(entry).toMatchObject({
    account_id: account.id,
    kind: 'image',
    model: 'svc-image-one',
    job_id: job?.id,
    credits: 10,
    recipe: { prompt: 'a pier', cfg_scale: 3, model: 'svc-image-one', seed: expect.any(Number) },
  });
  const { body: one } = await here.control('GET', `/library/${entry?.id}`);
  expect({ ...one, url: '', thumbnail_url: '' }).toEqual({ ...entry, url: '', thumbnail_url: '' });
  const file = await here.call('GET', String(one.url));
  expect([file.status, file.bytes.length]).toEqual([200, one.bytes]);
  expect((await sharp(file.bytes).metadata()).format).toBe('png');
});

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
])('narrows the list by %s [I089]', async (filter, expected) => {
  const { account, entries } = await collection();
  expect(await ids(account, filter)).toEqual(expected.map((at) => entries[at]));
});

it('pages through what a filter leaves [I089]', async () => {
  const { account, entries } = await collection();
  expect(await ids(account, `&text=pier&limit=1`)).toEqual([entries[2]]);
  expect(await ids(account, `&text=pier&limit=1&after=${entries[2]}`)).toEqual([entries[0]]);
  expect(await ids(account, `&text=pier&limit=1&after=${entries[0]}`)).toEqual([]);
});

it.each([
  ['&kind=film', 'kind'],
  ['&since=yesterday', 'since'],
  ['&until=', 'until'],
  ['&limit=0', 'limit'],
  ['&after=lib_none', 'after'],
])('refuses %s by its name [I089]', async (filter, param) => {
  expectError(await list(await here.account(), filter), 400, 'invalid_request', param);
});

it('finds what was made within a stretch of the clock [I089]', async () => {
  const account = await here.account();
  await account.post('/images/generations', { prompt: 'before' });
  const { body } = await here.control('POST', '/clock/advance', { seconds: 86_400 });
  await account.post('/images/generations', { prompt: 'after' });
  const [before, after] = (await account.library()).map(({ id }) => id);
  const middle = encodeURIComponent(body.now);
  expect(await ids(account, `&since=${middle}`)).toEqual([after]);
  expect(await ids(account, `&until=${middle}`)).toEqual([before]);
});

it.each([
  ['a picture', '/images/generations', { prompt: 'a pier' }, [320, 320]],
  ['sound', '/audio/speech', { input: 'A pier.', voice: 'orion' }, [320, 96]],
])('shows %s small, from an address that is signed [I089]', async (_what, path, order, size) => {
  const account = await here.account();
  await account.post(path, order);
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

it('shows a clip by one of its frames', async () => {
  const account = await here.account({ credits: 500 });
  await account.made(VIDEOS, { prompt: 'a pier', model: 'svc-motion-one', seconds: 5 });
  const [entry] = await account.library();
  const small = await here.call('GET', String(entry?.thumbnail_url));
  const { width, height } = await sharp(small.bytes).metadata();
  expect([width, height]).toEqual([320, 180]);
});

it('renders a recipe again to the same bytes, and charges nothing [I097]', async () => {
  const { account, entries } = await collection();
  const before = await account.ledger();
  for (const id of entries) {
    const { status, body } = await here.control('POST', `/library/${id}/render-again`);
    expect([status, body.same, body.sha256 === body.kept_sha256]).toEqual([200, true, true]);
  }
  expect(await account.ledger()).toEqual(before);
  expect((await account.library()).map(({ id }) => id)).toEqual(entries);
  expect(await account.events()).toHaveLength(2);
});

it('deletes an entry with its file, and keeps charge, job and event [I089]', async () => {
  const { account, entries } = await collection();
  const [entry] = await account.library();
  await here.call('GET', String(entry?.thumbnail_url));
  expect((await here.control('DELETE', `/library/${entries[0]}`)).status).toBe(204);

  expect((await account.library()).map(({ id }) => id)).toEqual(entries.slice(1));
  expect(await ids(account, '&text=dawn')).toEqual([]);
  for (const url of [entry?.url, entry?.thumbnail_url])
    expectError(await here.call('GET', String(url)), 404, 'not_found');
  expectError(await here.control('GET', `/library/${entries[0]}`), 404, 'not_found');
  expectError(await here.control('DELETE', `/library/${entries[0]}`), 404, 'not_found');
  expectError(await here.control('POST', `/library/${entries[0]}/render-again`), 404, 'not_found');
  expect(await account.ledger()).toEqual([...['grant 50', 'top_up 50'], ...['charge -10', 'charge -10', 'charge -3']]);
  expect(await account.jobs()).toHaveLength(3);
  expect(await here.invariants()).toMatchObject({ ok: true });
});

it('keeps the file of a deleted entry as long as another entry or an object has it [I089]', async () => {
  const order = { prompt: 'a shared pier' };
  const [ana, ben] = [await here.account(), await here.account()];
  await ana.post('/images/generations', order);
  await ben.post('/images/generations', { ...order, store: true });
  const [[one], [other]] = [await ana.library(), await ben.library()];
  await here.control('DELETE', `/library/${one?.id}`);
  const shown = await here.call('GET', String(other?.thumbnail_url));
  expect(shown.status).toBe(200);
  await here.control('DELETE', `/library/${other?.id}`);
  expect((await here.call('GET', String(other?.url))).status).toBe(200);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
