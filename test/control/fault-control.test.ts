import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { type World, world } from '../support/world.ts';

const emulator = await world();
const STATUS = { status: 503 };

async function made(here: World, order: object): Promise<string> {
  const { status, body } = await here.control('POST', '/faults', order);
  expect(status).toBe(201);
  return body.id;
}

async function ids(here: World, query = ''): Promise<string[]> {
  const { body } = await here.control('GET', `/faults${query}`);
  return body.data.map(({ id }: { id: string }) => id);
}

it('shows a rule as it was ordered, with its strikes and what remains of it [I088 I143]', async () => {
  const account = await emulator.account();
  const match = {
    path: '/v1/chat',
    model: 'svc-rp-mini',
    contains: 'there',
    account_id: account.id,
  };
  const order = { match, times: 3, effect: { status: 503, code: 'overloaded', retry_after: 2 } };
  const ordered = await emulator.control('POST', '/faults', { ...order, ttl_seconds: 60 });
  expect([ordered.status, ordered.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^flt_[0-9a-f]{24}$/),
      ...order,
      says: 'Answers 503 overloaded, retry after 2 s',
      strikes: 0,
      remaining: 3,
      probability: 1,
      ttl_seconds: 60,
      created: expect.any(Number),
      expires: ordered.body.created + 60,
    },
  ]);
  const appliedFault = await account.post('/chat/completions', CHAT);
  expectError(appliedFault, 503, 'overloaded');
  expect(appliedFault.headers.get('retry-after')).toBe('2');
  const { body } = await emulator.control('GET', `/faults?account_id=${account.id}`);
  expect(body.data).toEqual([{ ...ordered.body, strikes: 1, remaining: 2 }]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('lists rules newest first, by page and by account, and removes one, those of an account, or all [I088 I146]', async () => {
  const here = await world();
  const ana = await here.account();
  const ben = await here.account();
  const of = (account_id: string) => ({ match: { account_id }, effect: STATUS });
  const first = await made(here, { effect: { delay_ms: 1 } });
  const anas = await made(here, of(ana.id));
  const bens = await made(here, of(ben.id));
  expect(await ids(here)).toEqual([bens, anas, first]);
  expect(await ids(here, `?limit=1&after=${bens}`)).toEqual([anas]);
  expect(await ids(here, `?account_id=${ana.id}`)).toEqual([anas]);

  expect((await here.control('DELETE', `/faults?account_id=${ana.id}`)).status).toBe(204);
  expect((await ana.get('/account')).status).toBe(200);
  expect(await ids(here)).toEqual([bens, first]);
  expect((await here.control('DELETE', `/faults/${bens}`)).status).toBe(204);
  expect((await ben.get('/account')).status).toBe(200);
  expectError(await here.control('DELETE', `/faults/${bens}`), 404, 'not_found');
  expect((await here.control('DELETE', '/faults')).status).toBe(204);
  expect(await ids(here)).toEqual([]);
});

const NO_STREAM = { stream: {} };
it.each<[string, object | null, string | null]>([
  ['a path that nothing has', { match: { path: '/v2' }, effect: STATUS }, 'match.path'],
  ['a path of its own surface', { match: { path: '/_emulator' }, effect: STATUS }, 'match.path'],
  ['a path without its slash', { match: { path: 'v1' }, effect: STATUS }, 'match.path'],
  ['an unknown model', { match: { model: 'gpt-4o' }, effect: STATUS }, 'match.model'],
  ['an unknown account', { match: { account_id: 'acct_x' }, effect: STATUS }, 'match.account_id'],
  ['a misspelt field of match', { match: { pth: '/v1' }, effect: STATUS }, 'match.pth'],
  ['a misspelt field', { time: 3, effect: STATUS }, 'time'],
  [
    'a model of another kind than the path',
    { match: { path: '/v1/images', model: 'svc-rp-mini' }, effect: STATUS },
    'match.model',
  ],
  [
    'a text where there is no body',
    { match: { path: '/v1/account', contains: 'x' }, effect: STATUS },
    'match.contains',
  ],
  ['no effect', {}, 'effect'],
  ['an empty effect', { effect: {} }, 'effect'],
  ['an unknown effect', { effect: { explode: true } }, 'effect.explode'],
  ['two effects', { effect: { ...STATUS, drop: true } }, 'effect.drop'],
  ['a code without a status', { effect: { drop: true, code: 'x' } }, 'effect.code'],
  ['a status that is no error', { effect: { status: 200 } }, 'effect.status'],
  ['a code in words', { effect: { status: 500, code: 'Out of memory' } }, 'effect.code'],
  ['no drop', { effect: { drop: false } }, 'effect.drop'],
  ['no delay', { effect: { delay_ms: 0 } }, 'effect.delay_ms'],
  ['a stream as it is', { effect: NO_STREAM }, 'effect.stream'],
  [
    'a broken event after the cut',
    { effect: { stream: { cut_after: 2, malformed_at: 3 } } },
    'effect.stream.malformed_at',
  ],
  ['event number 0', { effect: { stream: { cut_after: 0 } } }, 'effect.stream.cut_after'],
  ['an unknown delivery', { effect: { webhook: 'lost' } }, 'effect.webhook'],
  [
    'a stream where nothing streams',
    { match: { path: '/v1/images' }, effect: { stream: { cut_after: 1 } } },
    'effect.stream',
  ],
  [
    'a delivery where nothing is announced',
    { match: { path: '/v1/audio' }, effect: { webhook: 'late' } },
    'effect.webhook',
  ],
  ['failing work where none is paid', { match: { path: '/cdn' }, effect: { fail_job: 'x' } }, 'effect.fail_job'],
  ['times below 0', { times: -1, effect: STATUS }, 'times'],
  ['no chance', { probability: 0, effect: STATUS }, 'probability'],
  ['more than certainty', { probability: 1.1, effect: STATUS }, 'probability'],
  ['no time to live', { ttl_seconds: 0, effect: STATUS }, 'ttl_seconds'],
  ['a crash without a supervisor', { effect: { crash: 'after_work' } }, 'effect.crash'],
])('refuses %s, says why, and sets nothing [I088 I195]', async (_what, order, param) => {
  const before = await ids(emulator);
  const answer = await emulator.control('POST', '/faults', order);
  const { message, param: named } = expectError(answer, 400, 'invalid_request');
  expect(named).toBe(param);
  expect(message).toContain(param);
  expect(await ids(emulator)).toEqual(before);
});
