import { expect, it } from 'vitest';
import { CHAT, expectError, openCall } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world({ settleAfter: 0.02 });

async function hold(account: TestAccount, at: string, more: { match?: object; times?: number } = {}) {
  const { match, ...rest } = more;
  const order = { match: { account_id: account.id, ...match }, at, ...rest };
  const { status, body } = await emulator.control('POST', '/holds', order);
  expect(status).toBe(201);
  return String(body.id);
}

const release = (id: string, body: object = {}) => emulator.control('POST', `/holds/${id}/release`, body);

it('holds a request before its work, without a charge, until it is released [I234]', async () => {
  const account = await emulator.account();
  const id = await hold(account, 'request');
  const answer = account.post('/chat/completions', CHAT);
  const held = await emulator.held(id);
  expect(held).toMatchObject([{ what: 'POST /v1/chat/completions', request_id: expect.stringMatching(/^req_/) }]);
  expect(await account.ledger()).toEqual(['grant 50']);
  const idle = await emulator.control('GET', `/wait?for=idle&timeout=0.05&account_id=${account.id}`);
  expectError(idle, 408, 'timeout');
  expect((await release(id)).body).toEqual({ released: 1 });
  expect((await answer).status).toBe(200);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
});

it('releases a held request with the effect of a fault, which prevents its work [I234]', async () => {
  const account = await emulator.account();
  const id = await hold(account, 'request');
  const answer = account.post('/chat/completions', CHAT);
  const held = await emulator.held(id);
  await release(id, { message: held[0]?.id, effect: { status: 503, code: 'overloaded' } });
  expectError(await answer, 503, 'overloaded');
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['as it is', {}, 200],
  ['lost', { effect: { lost_response: true } }, undefined],
  ['with the status 500', { effect: { status: 500 } }, 500],
])(
  'holds a response after the work, and releases it as the release requests: %s [I234]',
  async (_how, body, status) => {
    const account = await emulator.account();
    const id = await hold(account, 'answer');
    const answer = account.post('/chat/completions', CHAT).then(
      (got) => got.status,
      () => undefined,
    );
    await emulator.held(id);
    expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
    await release(id, body);
    expect(await answer).toBe(status);
  },
);

it('holds a delivery while the next one is sent, and adds a forged copy if the release requests one [I234]', async () => {
  const account = await emulator.account();
  const url = `${emulator.url}/_emulator/inbox/${account.id}`;
  await account.post('/webhooks', { url, events: ['image.generation.succeeded'] });
  const id = await hold(account, 'delivery');
  await account.post('/images/generations', { prompt: 'a red kite' });
  const held = await emulator.held(id);
  expect(held).toMatchObject([{ delivery_id: expect.stringMatching(/^dlv_/) }]);
  await account.post('/images/generations', { prompt: 'a blue kite' });
  await emulator.control('GET', `/wait?for=delivery:image.generation.succeeded&account_id=${account.id}`);
  expect((await account.deliveries()).map(({ status }) => status)).toEqual(['due', 'delivered']);
  await release(id, { effect: { webhook: 'forged' } });
  await account.idle();
  const { body } = await emulator.control('GET', `/inbox/${account.id}/messages`);
  expect(body.data.map(({ signature }: { signature: { verified: boolean } }) => signature.verified)).toEqual([
    true,
    false,
    true,
  ]);
});

it('holds a delivery, even of an earlier request, until the hold is deleted [I234]', async () => {
  const account = await emulator.account();
  const url = `${emulator.url}/_emulator/inbox/${account.id}`;
  await account.post('/webhooks', { url, events: ['music.generation.failed'] });
  await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  const { body: song } = await account.post('/music/generations', { prompt: 'a song', seconds: 30, n: 1 });
  const id = await hold(account, 'delivery', { times: 0 });
  await emulator.control('POST', `/jobs/${song.data[0].id}/finish`, { outcome: 'failed' });
  await emulator.held(id);
  expect((await account.deliveries()).map(({ status }) => status)).toEqual(['due']);
  await emulator.control('DELETE', `/holds/${id}`);
  await account.idle();
  expect((await account.deliveries()).map(({ status }) => status)).toEqual(['delivered']);
});

it('releases a held request when its hold is deleted, and returns 502 for one that a reset ends [I234]', async () => {
  const here = await world();
  const account = await here.account();
  const order = { match: { account_id: account.id }, at: 'request', times: 0 };
  const { body } = await here.control('POST', '/holds', order);
  const first = account.post('/chat/completions', CHAT);
  await here.held(body.id);
  expect((await here.control('DELETE', `/holds/${body.id}`)).status).toBe(204);
  expect((await first).status).toBe(200);
  const { id } = (await here.control('POST', '/holds', order)).body;
  const second = account.post('/chat/completions', CHAT);
  await here.held(id);
  await here.control('POST', '/reset');
  expectError(await second, 502, 'render_failed');
  expect((await here.control('GET', '/holds')).body.data).toEqual([]);
});

it('ends a held request when its client disconnects, without work and charge [I234]', async () => {
  const account = await emulator.account();
  const id = await hold(account, 'request');
  const call = openCall(account, '/chat/completions', CHAT);
  await emulator.held(id);
  call.hangUp();
  expect(await call.answered).toBe('cut');
  await emulator.until(async () => {
    const { body } = await emulator.control('GET', '/holds');
    return body.data.find((each: { id: string }) => each.id === id).held.length === 0;
  });
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each([
  ['an unknown point', { at: 'door' }, 'at'],
  ['a path that nothing has', { at: 'request', match: { path: '/v2' } }, 'match.path'],
  ['deliveries of an operation that sends no events', { at: 'delivery', match: { path: '/v1/audio' } }, 'at'],
  ['a take of a request', { at: 'request', match: { take: 1 } }, 'match.take'],
])('rejects a hold with %s', async (_what, order, param) => {
  expectError(await emulator.control('POST', '/holds', order), 400, 'invalid_request', param);
});

it('rejects a release of deliveries with an HTTP status, and a release of an unknown hold', async () => {
  const account = await emulator.account();
  const id = await hold(account, 'delivery');
  expectError(await release(id, { effect: { status: 500 } }), 400, 'invalid_request', 'effect.status');
  expectError(await release('hold_none'), 404, 'not_found');
});
