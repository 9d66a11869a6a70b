import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('serves exactly 100 of 200 parallel requests for a balance of 100 [I026 R004 R235]', async () => {
  const account = await emulator.account({ credits: 100 });
  const bystander = await emulator.account();
  const answers = await Promise.all(Array.from({ length: 200 }, () => account.post('/chat/completions', CHAT)));
  const served = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status !== 200);
  expect([served.length, refused.length]).toEqual([100, 100]);
  for (const answer of refused) expectError(answer, 402, 'insufficient_credits');

  const left = served.map(({ body }) => body.usage.credits_remaining).sort((a, b) => a - b);
  expect(left).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(await account.balance()).toBe(0);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', ...Array(100).fill('charge -1')]);
  expect(await bystander.ledger()).toEqual(['grant 50']);
  expect(await account.events()).toEqual([]);
  expect(await account.deliveries()).toEqual([]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('starts no take beyond the balance if songs are ordered in parallel [I010 I028]', async () => {
  const account = await emulator.account({ credits: 18 });
  const order = { style: 'slow piano', instrumental: true, seconds: 30, n: 2, seed: 7 };
  const answers = await Promise.all(Array.from({ length: 8 }, () => account.post('/music/generations', order)));
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, ...Array(5).fill(402)]);
  await emulator.advance(0);
  const { body } = await emulator.control('GET', `/jobs?account_id=${account.id}`);
  expect(body.data.map(({ status }: { status: string }) => status)).toEqual(Array(6).fill('succeeded'));
  expect(await account.ledger()).toEqual(['grant 18', ...Array(6).fill('charge -3')]);
  expect(await account.events()).toEqual(Array(6).fill('music.generation.succeeded'));
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('ends with the correct balance after parallel refunds and charges [I024 I026 I027]', async () => {
  const account = await emulator.account({ credits: 30 });
  const say = (content: string) => ({ ...CHAT, messages: [{ role: 'user', content }] });
  await Promise.all(
    Array.from({ length: 60 }, (_, n) => account.post('/chat/completions', say(n % 2 ? '[[fail]]' : 'Hello'))),
  );
  const entries = await account.entries();
  const charges = entries.filter(({ type }) => type === 'charge');
  const refunds = entries.filter(({ type }) => type === 'refund');
  expect(charges.length - refunds.length).toBe(30);
  expect(new Set(refunds.map(({ refund_of }) => refund_of)).size).toBe(refunds.length);
  const { body } = await account.get('/account');
  expect(body).toMatchObject({ credits: 0, usage_30d: { requests: charges.length, credits: 30 } });
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
