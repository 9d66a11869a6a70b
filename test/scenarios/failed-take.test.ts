import { expect, it } from 'vitest';
import { verifySignature } from '../../src/engine/webhooks/signature.ts';
import { subscribe } from '../support/receiver.ts';
import { world } from '../support/world.ts';

const here = await world({ settleAfter: 0.2 });
const SONGS = '/music/generations';

it('completes one take of a song and refunds the other, which failed, with one event each [R005 R006 R007 R010 R047 R116 R117 R182 R191 R192 R210 R211 R212 R215 R216 R223 R231 R233 I027 I028 I070 I094 I179]', async () => {
  const ana = await here.account();
  const events = ['music.generation.succeeded', 'music.generation.failed'];
  const { receiver, endpoint } = await subscribe(ana, events);
  const order = { prompt: 'a song of the sea [[fail:take=2]]', seconds: 30, seed: 9 };
  const { body: ordered } = await ana.post(SONGS, order);
  expect(ordered.usage).toEqual({ credits_spent: 6, credits_remaining: 44 });
  expect(ordered.data.map((job: { status: string }) => job.status)).toEqual(['queued', 'queued']);

  const [one, two] = ordered.data;
  expect([one, two].map(({ take, seed }) => [take, seed])).toEqual([
    [1, 9],
    [2, 10],
  ]);

  // Nobody polls, so both jobs settle by themselves.
  await ana.idle();
  const { requests } = receiver;
  expect(requests).toHaveLength(2);
  for (const { body: payload, headers } of requests) {
    const signed = { payload, header: headers['svc-signature'], secret: endpoint.secret };
    expect(() => verifySignature(signed)).not.toThrow();
  }
  const sent = requests.map(({ body }) => JSON.parse(body));
  for (const { created } of sent) expect(Math.abs(created - Date.now() / 1000)).toBeLessThan(60);
  const failed = sent.find(({ type }) => type === 'music.generation.failed');
  const succeeded = sent.find(({ type }) => type === 'music.generation.succeeded');
  const { body: record } = await ana.get(`${SONGS}/${one.id}`);
  const { body: refused } = await ana.get(`${SONGS}/${two.id}`);
  const { id, model, content_type, result_url, library_id } = record;
  expect(record.status).toBe('succeeded');
  expect((await ana.get(`${SONGS}/${one.id}`)).body).toEqual(record);
  expect(succeeded.data).toEqual({
    id,
    model,
    take: 1,
    seed: 9,
    content_type,
    result_url,
    library_id,
  });
  expect(refused).toMatchObject({ status: 'failed', take: 2, seed: 10, error: { code: 'render_failed' } });
  expect(failed.data).toEqual({ id: two.id, model, take: 2, seed: 10, error: refused.error });
  expect(refused).not.toHaveProperty('result_url');
  expect(refused).not.toHaveProperty('duration');

  expect(await ana.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3', 'refund 3']);
  const [, first, second, refund] = await ana.entries();
  expect([first?.job_id, second?.job_id]).toEqual([one.id, two.id]);
  expect(refund).toMatchObject({ refund_of: second?.id, job_id: two.id, balance: 47 });
  expect(await ana.balance()).toBe(47);
  expect((await ana.get('/account')).body.usage_30d.credits).toBe(3);
  expect((await ana.events()).toSorted()).toEqual(events.toSorted());
  expect(await ana.deliveries()).toHaveLength(2);
  expect(receiver.requests).toHaveLength(2);
  expect(await ana.library()).toMatchObject([{ id: library_id }]);
  expect((await here.call('GET', result_url)).status).toBe(200);
  expect((await here.invariants()).ok).toBe(true);
});

it.each([
  ['the first take', '[[fail:take=1]]', ['failed', 'succeeded']],
  ['both takes', '[[fail:gpu_lost]]', ['failed', 'failed']],
])(
  'refunds %s of a song that a directive makes fail, and publishes an event for each take [R005 R007 R191]',
  async (_which, fate, ends) => {
    const ana = await here.account();
    const { body } = await ana.post(SONGS, { style: `slow piano ${fate}`, instrumental: true, seconds: 30 });
    await here.advance(0);
    expect((await ana.jobs()).map(({ status }) => status)).toEqual(ends);
    const lost = body.data.filter((_job: object, take: number) => ends[take] === 'failed');
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -3', 'charge -3', ...lost.map(() => 'refund 3')]);
    const refunded = (await ana.entries()).slice(3).map(({ job_id }) => job_id);
    expect(refunded.toSorted()).toEqual(lost.map(({ id }: { id: string }) => id).toSorted());
    expect((await ana.events()).toSorted()).toEqual(ends.map((end) => `music.generation.${end}`));
    expect(await ana.library()).toHaveLength(2 - lost.length);
  },
);

it.each<[string, string, object, number, string]>([
  ['a song of one take', SONGS, { prompt: 'a song [[fail:take=2]]', seconds: 30, n: 1 }, 3, 'prompt'],
  ['speech', '/audio/speech', { input: 'Hi [[fail:take=1]]', voice: 'aria' }, 3, 'input'],
  ['an image', '/images/generations', { prompt: 'a boat [[fail:take=2]]' }, 10, 'prompt'],
  ['a video', '/videos/generations', { prompt: 'a pier [[fail:take=2]]' }, 100, 'prompt'],
])(
  'ignores with a warning a directive that fails a take that %s does not have [I094]',
  async (_what, path, order, credits, field) => {
    const ana = await here.account({ credits: 200 });
    const { status, headers } = await ana.post(path, order);
    expect(status).toBeLessThan(300);
    const take = JSON.stringify(order).includes('take=1') ? 1 : 2;
    expect(headers.get('svc-emulator-warnings')).toBe(`${field};directive=fail:take=${take}`);
    await here.advance(0);
    expect((await ana.ledger()).filter((entry) => !/grant|top_up/.test(entry))).toEqual([`charge -${credits}`]);
    expect(await ana.library()).toHaveLength(1);
  },
);
