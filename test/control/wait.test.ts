import { expect, it } from 'vitest';
import { subscribe } from '../support/receiver.ts';
import { expectError } from '../support/wire.ts';
import { type Answer, type TestAccount, world } from '../support/world.ts';

const here = await world({ settleAfter: 0 });
await here.control('PUT', '/clock', { frozen: true });

const VIDEOS = '/videos/generations';
const CLIP = { model: 'vid_max5havc', prompt: 'a red boat', resolution: '480p' };
const DONE = 'video.generation.succeeded';

const wait = (query: string): Promise<Answer> => here.control('GET', `/wait?${query}`);

async function held(): Promise<{ ana: TestAccount; id: string }> {
  const ana = await here.account({ credits: 500 });
  await here.control('PUT', '/progression', { mode: 'manual', account_id: ana.id });
  const { body } = await ana.post(VIDEOS, CLIP);
  return { ana, id: body.id };
}

const finish = (id: string, outcome = 'succeeded') => here.control('POST', `/jobs/${id}/finish`, { outcome });

it('returns from a wait as soon as the job is final, and at once from then on, but not for another account [I137]', async () => {
  const { ana, id } = await held();
  let isAnswered = false;
  const waiting = wait(`for=job:${id}&timeout=120`).finally(() => {
    isAnswered = true;
  });
  await ana.get(`${VIDEOS}/${id}`);
  expect(isAnswered).toBe(false);
  await finish(id);
  const { status, body } = await waiting;
  expect([status, body]).toMatchObject([200, { for: `job:${id}`, id, status: 'succeeded', account_id: ana.id }]);
  expect((await wait(`for=job:${id}&timeout=0`)).body).toEqual(body);
  const ben = await here.account();
  expectError(await wait(`for=job:${id}&account_id=${ben.id}`), 404, 'not_found');
});

it('returns from a wait the first event of a type, or the next one after a given event [I137 I192]', async () => {
  const { ana, id } = await held();
  const own = `account_id=${ana.id}`;
  const first = wait(`for=event:${DONE}&${own}&timeout=120`);
  await finish(id);
  const { body } = await first;
  expect(body).toMatchObject({ for: `event:${DONE}`, type: DONE, envelope: { data: { id } } });
  expect((await wait(`for=event:${DONE}&${own}&timeout=120`)).body).toEqual(body);
  const second = wait(`for=event:${DONE}&${own}&timeout=120&after=${body.id}`);
  const { body: next } = await ana.post(VIDEOS, { ...CLIP, prompt: 'a blue boat' });
  await finish(next.id);
  const later = (await second).body;
  expect(later.envelope.data.id).toBe(next.id);
  expect(later.id).not.toBe(body.id);
  expectError(await wait(`for=event:${DONE}&${own}&timeout=0&after=${later.id}`), 408, 'timeout');
});

it('returns from a wait the first final delivery, or the next one after a given event or delivery [I137 I192]', async () => {
  const { ana, id } = await held();
  const { receiver } = await subscribe(ana, [DONE]);
  const own = `account_id=${ana.id}`;
  const first = wait(`for=delivery:${DONE}&${own}&timeout=120`);
  await finish(id);
  const { body } = await first;
  expect(body).toMatchObject({ for: `delivery:${DONE}`, type: DONE, status: 'delivered' });
  expect(receiver.requests).toHaveLength(1);
  const again = (query: string) => wait(`for=delivery:${DONE}&${own}&timeout=0&${query}`);
  expect((await again('')).body.id).toBe(body.id);
  expect((await again(`after=${body.event_id}`)).body.id).toBe(body.id);
  expectError(await again(`after=${body.id}`), 408, 'timeout');
  const second = wait(`for=delivery:${DONE}&${own}&timeout=120&after=${body.id}`);
  await here.control('POST', `/deliveries/${body.id}/redeliver`);
  expect((await second).body).toMatchObject({ redelivery_of: body.id, status: 'delivered' });
});

/** An account with a receiver, and a rule that applies a webhook effect to its next delivery. */
async function heard(fault: string): Promise<{ ana: TestAccount; ask: (query: string) => Promise<Answer> }> {
  const ana = await here.account({ credits: 500 });
  await subscribe(ana, [DONE]);
  await here.control('POST', '/faults', { match: { account_id: ana.id }, effect: { webhook: fault } });
  return { ana, ask: (query) => wait(`for=delivery:${DONE}&account_id=${ana.id}&${query}`) };
}

it.each(['forged', 'replayed', 'unknown_type'])(
  'ignores a delivery that the webhook effect %s adds, in a wait for a genuine delivery [I137]',
  async (fault) => {
    const { ana, ask } = await heard(fault);
    const waiting = ask('genuine=true&timeout=120');
    await ana.post(VIDEOS, CLIP);
    const { body: genuine } = await waiting;
    expect(genuine).toMatchObject({ fault: null, status: 'delivered' });
    await wait(`for=idle&account_id=${ana.id}&timeout=120`);
    expect((await ask('genuine=true&timeout=0')).body).toEqual(genuine);
    expectError(await ask(`genuine=true&timeout=0&after=${genuine.id}`), 408, 'timeout');
    const { body: first } = await ask('timeout=0');
    expect((await ask('genuine=false&timeout=0')).body).toEqual(first);
    expect(first.fault).toBe(fault === 'replayed' ? null : fault);
  },
);

it.each(['bad_signature', 'old_timestamp'])(
  'reports that a wait for a genuine delivery ignored one with %s [I137]',
  async (fault) => {
    const { ana, ask } = await heard(fault);
    await ana.post(VIDEOS, CLIP);
    expect((await ask('timeout=120')).body.fault).toBe(fault);
    const { message } = expectError(await ask('genuine=true&timeout=0'), 408, 'timeout');
    expect(message).toContain(`and not genuine (${fault}); genuine=false accepts it too`);
  },
);

it('counts a duplicate as a genuine delivery, and warns if the parameter `genuine` has no effect [I137]', async () => {
  const { ana, ask } = await heard('duplicate');
  await ana.post(VIDEOS, CLIP);
  const { body: first } = await ask('genuine=true&timeout=120');
  const { body: second } = await ask(`genuine=true&timeout=120&after=${first.id}`);
  expect([first.fault, second.fault]).toEqual([null, 'duplicate']);
  const { headers } = await wait(`for=idle&account_id=${ana.id}&timeout=120&genuine=true`);
  expect(headers.get('svc-emulator-warnings')).toBe('genuine;for=idle');
  expectError(await ask('genuine=maybe'), 400, 'invalid_request');
});

it('returns from a wait for idle when no job or delivery of the account is in progress [I137 I193]', async () => {
  const { ana, id } = await held();
  const ben = await here.account();
  expect((await wait(`for=idle&account_id=${ben.id}&timeout=0`)).body).toEqual({
    for: 'idle',
    idle: true,
  });
  expectError(await wait('for=idle&timeout=0'), 408, 'timeout');
  const { receiver } = await subscribe(ana, [DONE], 'hang');
  const own = `for=idle&account_id=${ana.id}`;
  expect(expectError(await wait(`${own}&timeout=0`), 408, 'timeout').message).toContain('1 open job');
  const waiting = wait(`${own}&timeout=120`);
  await finish(id);
  await receiver.received(1);
  const { message } = expectError(await wait(`${own}&timeout=0`), 408, 'timeout');
  expect(message).toContain('1 delivery due or in flight');
  expect((await waiting).body.idle).toBe(true);
  expect(await ana.deliveries()).toMatchObject([{ status: 'failed' }]);
  const delivery = `for=delivery:${DONE}&account_id=${ana.id}&timeout=0`;
  expect((await wait(delivery)).body).toMatchObject({ status: 'failed', fault: null });
  const refused = expectError(await wait(`${delivery}&genuine=true`), 408, 'timeout');
  expect(refused.message).toContain('failed, which no receiver accepted; genuine=false accepts it too');
});

it('does not count a wait as a poll of the job [I137 I178]', async () => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'polls', value: 2, account_id: ana.id });
  const { body } = await ana.post(VIDEOS, CLIP);
  await here.advance(0);
  for (let n = 0; n < 5; n += 1) await wait(`for=job:${body.id}&timeout=0`);
  expect((await ana.get(`${VIDEOS}/${body.id}`)).body.status).toBe('processing');
  expect(await ana.events()).toEqual([]);
  expect((await ana.get(`${VIDEOS}/${body.id}`)).body.status).toBe('succeeded');
});

it('ends a wait when a move of the clock fulfils its condition [I137 I086]', async () => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode: 'seconds', value: 600, account_id: ana.id });
  const { body } = await ana.post(VIDEOS, CLIP);
  const waiting = wait(`for=job:${body.id}&timeout=120`);
  const { message } = expectError(await wait(`for=job:${body.id}&timeout=0`), 408, 'timeout');
  expect(message).toContain('/_emulator/clock/advance');
  await here.advance(600);
  expect((await waiting).body).toMatchObject({
    status: 'succeeded',
    completed: body.created + 600,
  });
});

it.each([
  ['manual', undefined, '/finish'],
  ['polls', 3, 'polled 0 of 3 times'],
  ['seconds', 60, 'stands at'],
])('explains after a timeout what a job waits for with the progression %s [I137]', async (mode, value, hint) => {
  const ana = await here.account();
  await here.control('PUT', '/progression', { mode, value, account_id: ana.id });
  const { body } = await ana.post(VIDEOS, CLIP);
  const { message } = expectError(await wait(`for=job:${body.id}&timeout=0.01`), 408, 'timeout');
  expect(message).toContain(hint);
});

it('serves sixty different waits in parallel [I137 I164]', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, held));
  const waiting = all.flatMap(({ ana, id }) =>
    [`job:${id}`, `event:${DONE}`, 'idle'].map((what) => wait(`for=${what}&timeout=120&account_id=${ana.id}`)),
  );
  for (const { id } of all.toReversed()) await finish(id);
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
  for (const [n, { ana, id }] of all.entries()) {
    expect(answers[3 * n]?.body).toMatchObject({ id, account_id: ana.id });
    expect(answers[3 * n + 1]?.body.envelope.data.id).toBe(id);
  }
});

it('accepts the parameter `until` of a wait as another name of `for`, but not both together [I137]', async () => {
  const { ana } = await held();
  const idle = await wait('until=idle&account_id=acc_none');
  expect(expectError(idle, 404, 'not_found').message).toContain('acc_none');
  expectError(await wait(`until=job:${(await ana.jobs())[0]?.id}&timeout=0`), 408, 'timeout');
  expectError(await wait('for=idle&until=idle'), 400, 'invalid_request', 'until');
  expectError(await wait('until=jobs:1'), 400, 'invalid_request', 'for');
});

it.each([
  ['', 'for'],
  ['for=jobs:1', 'for'],
  ['for=job', 'for'],
  ['for=job:', 'for'],
  ['for=idle:now', 'for'],
  ['for=constructor:x', 'for'],
  ['for=event:song.done', 'for'],
  ['for=delivery:*', 'for'],
  ['for=idle&timeout=-1', 'timeout'],
  ['for=idle&timeout=601', 'timeout'],
  ['for=idle&timeout=soon', 'timeout'],
  [`for=event:${DONE}&after=evt_none`, 'after'],
  ['for=inbox:a.b', 'for'],
  ['for=inbox:mine&after=msg_none', 'after'],
])('rejects a wait with %j, and names %s [I006 I137]', async (query, param) => {
  expectError(await wait(query), 400, 'invalid_request', param);
});
