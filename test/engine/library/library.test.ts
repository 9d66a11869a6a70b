import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

const here = await world();
const WEEK = 7 * 24 * 3600;
const STORED = { prompt: 'a kite', store: true };

it('stores a separate object for each order of the same image [R154 I040 I043]', async () => {
  const ana = await here.account();
  const [one, two] = [
    (await ana.post('/images/generations', STORED)).body.data[0].url,
    (await ana.post('/images/generations', STORED)).body.data[0].url,
  ];
  expect(one).not.toBe(two);
  const { body } = await ana.get('/storage/objects');
  expect(body.data.map(({ url }: { url: string }) => url)).toEqual([two, one]);
  await ana.delete(`/storage/objects/${body.data[1].id}`);
  expect((await here.call('GET', one)).status).toBe(404);
  expect((await here.call('GET', two)).status).toBe(200);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -12', 'charge -12']);
});

it('keeps the library entry if its object is deleted [I043 I047 I089]', async () => {
  const ana = await here.account();
  await ana.post('/images/generations', STORED);
  const [before] = await ana.library();
  await ana.delete(`/storage/objects/${before?.object_id}`);
  const [after] = await ana.library();
  expect({ ...after, url: '', thumbnail_url: '' }).toEqual({
    ...before,
    ...{ object_id: null, url: '', thumbnail_url: '' },
  });
  expect((await ana.get('/storage/objects')).body.data).toEqual([]);
  expect((await here.invariants()).ok).toBe(true);
});

it('expires the signed URL of a render after 7 days, but keeps its library entry [R050 R245 I039 I043 I123]', async () => {
  await here.control('PUT', '/clock', { frozen: true });
  const ana = await here.account();
  const { body } = await ana.post('/audio/speech', { input: 'Hello', voice: 'aria' });
  expect(body).toBeUndefined();
  const order = { prompt: 'a song of the sea', seconds: 30, n: 1 };
  const { result_url } = (await ana.made('/music/generations', order)).body;
  await here.advance(WEEK - 1);
  expect((await here.call('GET', result_url)).status).toBe(200);
  const altered = await here.call('GET', result_url.slice(0, -1) + (result_url.endsWith('0') ? '1' : '0'));
  expect([altered.status, altered.body.error.code]).toEqual([403, 'invalid_signature']);
  await here.advance(2);
  const late = await here.call('GET', result_url);
  expect([late.status, late.body.error.code]).toEqual([403, 'url_expired']);
  expect((await ana.library()).map(({ kind }) => kind)).toEqual(['speech', 'music']);
  await here.control('PUT', '/clock', { frozen: false });
});
