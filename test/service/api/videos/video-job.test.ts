import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';
import { ENGINES, UNRENDERED, VIDEOS } from './engine-table.ts';

const here = await world();
await here.control('PUT', '/clock', { frozen: true });
const WEEK = 7 * 24 * 3600;
const { model } = ENGINES.M;
const ORDER = { model, prompt: 'a red boat', resolution: '480p', seed: 7 };
const PARAMETERS = {
  prompt: 'a red boat',
  seconds: 4,
  resolution: '480p',
  aspect: '16:9',
  audio: true,
  seed: 7,
  store: false,
};

it('answers 202 with the job and what it cost, then its record until it is done [R011 R165 R116 R003 I057 I059 I060 I121]', async () => {
  const ana = await here.account();
  const accepted = await ana.post(VIDEOS, ORDER);
  const { id, created } = accepted.body;
  const started = { id, object: 'video.generation', model, created, ...PARAMETERS, credits: 36 };
  expect(accepted.status).toBe(202);
  expect(accepted.body).toEqual({
    ...started,
    status: 'queued',
    usage: { credits_spent: 36, credits_remaining: 14 },
  });
  expect(await ana.balance()).toBe(14);
  const { status, body } = await ana.finished(`${VIDEOS}/${id}`);
  const [entry] = await ana.library();
  expect(status).toBe(200);
  expect(body).toEqual({
    ...started,
    status: 'succeeded',
    completed: created,
    result_url: expect.stringContaining(
      `${here.url}/cdn/library/${entry?.id}/${entry?.id}.mp4?expires=${created + WEEK}&`,
    ),
    content_type: 'video/mp4',
    library_id: entry?.id,
  });
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36']);
});

it('announces the end of a clip with what its record says, and keeps it with its recipe [R059 R220 R231 R232 I047]', async () => {
  const ana = await here.account();
  const { body } = await ana.made(VIDEOS, ORDER);
  const { id, result_url, content_type, library_id } = body;
  const [event, ...others] = await ana.envelopes();
  expect(others).toEqual([]);
  expect(event).toMatchObject({ type: 'video.generation.succeeded', created: body.completed });
  expect(event?.data).toEqual({ id, model, content_type, result_url, library_id });
  expect(await ana.library()).toMatchObject([
    {
      id: library_id,
      kind: 'video',
      job_id: id,
      duration: 4,
      credits: 36,
      recipe: { ...PARAMETERS, model },
    },
  ]);
});

it('signs its URL for 7 days from its end, and a poll after that anew [R232 R245 I123 I221]', async () => {
  const ana = await here.account();
  const { body } = await ana.made(VIDEOS, { ...ORDER, seed: 8 });
  await here.advance(WEEK - 1);
  const again = await ana.get(`${VIDEOS}/${body.id}`);
  expect(again.body).toEqual(body);
  expect((await here.call('GET', body.result_url)).status).toBe(200);
  await here.advance(2);
  const expired = await here.call('GET', body.result_url);
  expect([expired.status, expired.body.error.code]).toEqual([403, 'url_expired']);
  const { body: anew } = await ana.get(`${VIDEOS}/${body.id}`);
  expect({ ...anew, result_url: body.result_url }).toEqual(body);
  expect((await here.call('GET', anew.result_url)).status).toBe(200);
  await here.advance(WEEK);
  expect((await here.call('GET', anew.result_url)).body.error.code).toBe('url_expired');
  expect((await ana.envelopes())[0]?.data.result_url).toBe(body.result_url);
});

it('keeps a stored clip for good, for 2 credits more in its one charge [R232 I040 I105 I109]', async () => {
  const ana = await here.account();
  const { body } = await ana.made(VIDEOS, { ...ORDER, store: true });
  expect(body).toMatchObject({ store: true, credits: 38 });
  const { body: listed } = await ana.get('/storage/objects');
  expect(listed.data).toMatchObject([{ url: body.result_url, content_type: 'video/mp4' }]);
  expect((await ana.envelopes())[0]?.data.result_url).toBe(body.result_url);
  expect(await ana.library()).toMatchObject([{ object_id: listed.data[0].id }]);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -38']);
  await here.advance(WEEK + 1);
  expect((await here.call('GET', body.result_url)).status).toBe(200);
});

it.each([
  ['[[fail]]', 'render_failed'],
  ['[[fail:nsfw_output]]', 'nsfw_output'],
])(
  'refunds a clip that fails by %s and says so in record and event [R005 R116 R117 R220 R233 I060 I094 I099 I179]',
  async (directive, code) => {
    const ana = await here.account();
    const accepted = await ana.post(VIDEOS, {
      ...ORDER,
      prompt: `a red boat ${directive}`,
      store: true,
    });
    const { usage, ...started } = accepted.body;
    const { body } = await ana.finished(`${VIDEOS}/${accepted.body.id}`);
    const error = { code, message: expect.stringContaining('refunded') };
    expect(body).toEqual({ ...started, status: 'failed', completed: started.created, error });
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -38', 'refund 38']);
    const envelopes = await ana.envelopes();
    expect(envelopes.map(({ type, data }) => [type, data])).toEqual([
      ['video.generation.failed', { id: body.id, model, error }],
    ]);
    expect((await ana.get('/storage/objects')).body.data).toEqual([]);
    expect(usage.credits_spent).toBe(38);
  },
);

it('is polled for free, and by nobody else [R011 I012 I057]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const { body } = await ana.post(VIDEOS, { ...ORDER, prompt: UNRENDERED });
  for (const other of [await ben.get(`${VIDEOS}/${body.id}`), await ana.get(`/music/generations/${body.id}`)]) {
    expect([other.status, other.body.error.code]).toEqual([404, 'not_found']);
  }
  const unknown = await ana.get(`${VIDEOS}/job_000000000000000000000000`);
  expect([unknown.status, unknown.body.error.type]).toEqual([404, 'not_found_error']);
  expect((await here.call('GET', `/v1${VIDEOS}/${body.id}`)).status).toBe(401);
  await ana.finished(`${VIDEOS}/${body.id}`);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -36', 'refund 36']);
});

it('renders the same bytes for the same words and seed, and others for another seed [R109 I097]', async () => {
  const ana = await here.account({ credits: 200 });
  const urls = [];
  for (const seed of [7, 7, 9]) urls.push((await ana.made(VIDEOS, { ...ORDER, seed })).body.result_url);
  const [one, two, other] = await Promise.all(urls.map((url) => here.call('GET', url)));
  expect(one?.bytes.equals(two?.bytes ?? Buffer.alloc(0))).toBe(true);
  expect(one?.headers.get('etag')).not.toBe(other?.headers.get('etag'));
});
