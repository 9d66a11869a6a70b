import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../support/wire.ts';
import { type Answer, type World, world } from '../../support/world.ts';

const limited = await world({ rateLimit: 3 });
await limited.control('PUT', '/clock', { frozen: true });

/** What the three headers say. */
function left({ headers }: Pick<Answer, 'headers'>) {
  const read = (name: string) => headers.get(`ratelimit-${name}`);
  return [read('limit'), read('remaining'), Number(read('reset')) > 0];
}

/** The beginning of the next minute of the emulator's clock. */
async function nextMinute(emulator: World) {
  const { body } = await emulator.control('GET', '/clock');
  const now = new Date((Math.floor(Date.parse(body.now) / 60_000) + 1) * 60_000);
  await emulator.control('PUT', '/clock', { now: now.toISOString() });
}

it('counts down, then refuses with the seconds to wait, charging nothing [R237 I016 I083]', async () => {
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

it('counts each key for itself [I083]', async () => {
  const account = await limited.account();
  const { body } = await limited.control('POST', `/accounts/${account.id}/keys`);
  for (let n = 0; n < 3; n += 1) await account.get('/account');
  expect((await account.get('/account')).status).toBe(429);
  const headers = { authorization: `Bearer ${body.api_key}` };
  const other = await limited.call('GET', '/v1/account', undefined, headers);
  expect([other.status, ...left(other)]).toEqual([200, '3', '2', true]);
});

it('begins anew with the next minute of the emulator clock, and not before [I187]', async () => {
  await nextMinute(limited);
  const account = await limited.account();
  for (let n = 0; n < 4; n += 1) await account.get('/account');
  await limited.advance(59);
  const refused = await account.get('/account');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  await limited.advance(1);
  expect((await account.get('/account')).status).toBe(200);
});

it('tells what is left on answers that count nothing too [I083]', async () => {
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

it('lets the control surface and the model list through [I083]', async () => {
  for (let n = 0; n < 5; n += 1) {
    expect((await limited.call('GET', '/v1/models')).status).toBe(200);
    expect((await limited.control('GET', '/health')).status).toBe(200);
  }
});

it('is off without the option [I083]', async () => {
  const free = await world();
  const account = await free.account();
  const answers = await Promise.all(Array.from({ length: 50 }, () => account.get('/account')));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(answers[0] && left(answers[0])).toEqual([null, null, false]);
});
