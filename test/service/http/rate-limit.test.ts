import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../support/wire.ts';
import { type Answer, type World, world } from '../../support/world.ts';

const limited = await world({ rateLimit: 3 });
await limited.control('PUT', '/clock', { frozen: true });

function left({ headers }: Pick<Answer, 'headers'>) {
  const read = (name: string) => headers.get(`ratelimit-${name}`);
  return [read('limit'), read('remaining'), Number(read('reset')) > 0];
}

/** Moves the emulator's clock to the beginning of its next minute. */
async function nextMinute(emulator: World) {
  const { body } = await emulator.control('GET', '/clock');
  const now = new Date((Math.floor(Date.parse(body.now) / 60_000) + 1) * 60_000);
  await emulator.control('PUT', '/clock', { now: now.toISOString() });
}

it('counts the remaining requests of a key, then rejects further ones with a 429 and the seconds to wait, without a charge [R237 I016 I083]', async () => {
  await nextMinute(limited);
  const account = await limited.account();
  for (const remaining of ['2', '1', '0']) {
    const answer = await account.post('/chat/completions', CHAT);
    expect([answer.status, ...left(answer)]).toEqual([200, '3', remaining, true]);
  }
  const refused = await account.post('/chat/completions', CHAT);
  const { message } = expectError(refused, 429, 'rate_limited');
  expect(message).toMatch(/3 requests/);
  expect(refused.body.error.type).toBe('rate_limit_error');
  expect(refused.headers.get('retry-after')).toBe('60');
  expect(left(refused)).toEqual(['3', '0', true]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1', 'charge -1']);
});

it('limits each key separately [I083]', async () => {
  const account = await limited.account();
  const { body } = await limited.control('POST', `/accounts/${account.id}/keys`);
  for (let n = 0; n < 3; n += 1) await account.get('/account');
  expect((await account.get('/account')).status).toBe(429);
  const headers = { authorization: `Bearer ${body.api_key}` };
  const other = await limited.call('GET', '/v1/account', undefined, headers);
  expect([other.status, ...left(other)]).toEqual([200, '3', '2', true]);
});

it("resets the rate limit with the next minute of the emulator's clock [I187]", async () => {
  await nextMinute(limited);
  const account = await limited.account();
  for (let n = 0; n < 4; n += 1) await account.get('/account');
  await limited.advance(59);
  const refused = await account.get('/account');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  await limited.advance(1);
  expect((await account.get('/account')).status).toBe(200);
});

it('returns the headers of the rate limit also with responses that do not count toward it [I083]', async () => {
  const account = await limited.account();
  await account.get('/account');
  const uncounted = [
    await account.get('/models'),
    await account.get('/nowhere'),
    await limited.call('PUT', '/v1/models', undefined, account.headers),
  ];
  expect(uncounted.map(left)).toEqual(Array(3).fill(['3', '2', true]));
  expect(left(await limited.call('GET', '/v1/account'))).toEqual(['3', '3', true]);
});

const CHAT_PATH = '/v1/chat/completions';
const BAD_KEY = { authorization: 'Bearer svc_sk_nobody' };

it.each<[string, string, string, unknown, object | undefined, number, string]>([
  ['an unknown path before it checks the key', 'POST', '/v1/chats', CHAT, BAD_KEY, 404, 'not_found'],
  ['a wrong method before it checks the key', 'PUT', CHAT_PATH, CHAT, BAD_KEY, 405, 'method_not_allowed'],
  ['an invalid key before it reads the body', 'POST', CHAT_PATH, '{', BAD_KEY, 401, 'invalid_api_key'],
  ['a missing key before it reads the body', 'POST', CHAT_PATH, 'text', undefined, 401, 'missing_api_key'],
])('rejects %s [I019 I100]', async (_what, method, path, body, headers, status, code) => {
  expectError(await limited.call(method, path, body, { ...headers }), status, code);
});

it('checks the rate limit before the body, and charges nothing [I019 R237]', async () => {
  const account = await limited.account();
  for (let n = 0; n < 3; n += 1) await account.get('/account');
  expectError(await account.post('/chat/completions', 'no JSON'), 429, 'rate_limited');
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('checks the fields of a song request before the content policy, and the policy before the balance [I019 R189 R234]', async () => {
  const poor = await limited.account({ credits: 0 });
  const blocked = { prompt: '[[block]] a song' };
  expectError(await poor.post('/music/generations', { ...blocked, n: 3 }), 400, 'invalid_request');
  expectError(await poor.post('/music/generations', blocked), 400, 'content_blocked');
  expect(await poor.ledger()).toEqual([]);
});
