import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('shows a rule as it was ordered, with its strikes and what remains of it [I088 I143]', async () => {
  const account = await emulator.account();
  const match = {
    path: '/v1/chat',
    model: 'svc-rp-mini',
    contains: 'there',
    account_id: account.id,
  };
  const order = { match, times: 3, effect: { status: 503, code: 'overloaded', retry_after: 2 } };
  const made = await emulator.control('POST', '/faults', { ...order, ttl_seconds: 60 });
  expect([made.status, made.body]).toEqual([
    201,
    {
      id: expect.stringMatching(/^flt_[0-9a-f]{24}$/),
      ...order,
      strikes: 0,
      remaining: 3,
      probability: 1,
      ttl_seconds: 60,
      created: expect.any(Number),
      expires: made.body.created + 60,
    },
  ]);
  const struck = await account.post('/chat/completions', CHAT);
  expectError(struck, 503, 'overloaded');
  expect(struck.headers.get('retry-after')).toBe('2');
  const { body } = await emulator.control('GET', `/faults?account_id=${account.id}`);
  expect(body.data).toEqual([{ ...made.body, strikes: 1, remaining: 2 }]);
  expect(await account.ledger()).toEqual(['grant 50']);
});
