import { expect, it } from 'vitest';
import { journalled, rule } from '../../support/striking.ts';
import { CHAT, expectError } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();

it.each<[string, (account: TestAccount) => Promise<unknown>, string[]]>([
  ['a chat', (account) => account.post('/chat/completions', CHAT), ['grant 50', 'charge -1']],
  ['a read', (account) => account.get('/account'), ['grant 50']],
])('does and charges %s, and loses its answer once [I237]', async (_what, ask, ledger) => {
  const account = await emulator.account();
  const shown = await rule(account, { lost_answer: true });
  await expect(ask(account)).rejects.toThrow();
  expect(await shown()).toMatchObject({ strikes: 1, remaining: 0 });
  const [request] = await journalled(account, 1);
  expect(request).toMatchObject({ status: 0, fault: (await shown()).id });
  expect(await account.ledger()).toEqual(ledger);
  expect(await ask(account)).toMatchObject({ status: 200 });
});

it('gives a lost answer back where nothing was done for it [I237 I195]', async () => {
  const account = await emulator.account({ credits: 0 });
  const shown = await rule(account, { lost_answer: true });
  expectError(await account.post('/chat/completions', CHAT), 402, 'insufficient_credits');
  expect(await shown()).toMatchObject({ strikes: 0 });
});

it('answers 402 as if the credits had run out, and later requests as before [I237]', async () => {
  const account = await emulator.account();
  await rule(account, { status: 402 });
  expectError(await account.post('/chat/completions', CHAT), 402, 'insufficient_credits');
  expect(await account.ledger()).toEqual(['grant 50']);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
});

it('answers the swapped request after the next one [I237]', async () => {
  const account = await emulator.account();
  await rule(account, { swap: true });
  const order: string[] = [];
  const first = account.post('/chat/completions', CHAT).then(() => order.push('first'));
  // Once it is charged, its answer is kept back.
  await account.charged();
  await account.get('/account').then(() => order.push('second'));
  await first;
  expect(order).toEqual(['second', 'first']);
});

it('strikes the nth request that fits, and counts for each account by itself [I237]', async () => {
  const ana = await emulator.account();
  const ben = await emulator.account();
  const match = { path: '/v1/account', nth: 2, method: 'GET' };
  const { body } = await emulator.control('POST', '/faults', { match, times: 2, effect: { status: 503 } });
  const statuses = async (account: TestAccount) => {
    const answers = [await account.get('/account'), await account.get('/account'), await account.get('/account')];
    return answers.map(({ status }) => status);
  };
  expect(await statuses(ana)).toEqual([200, 503, 200]);
  expect(await statuses(ben)).toEqual([200, 503, 200]);
  await emulator.control('DELETE', `/faults/${body.id}`);
});

it('fails the take that is named, and doubles the event of the other beside it [I237]', async () => {
  const account = await emulator.account({ plan: 'studio', credits: 1000 });
  const url = `${emulator.url}/_emulator/inbox/${account.id}`;
  await account.post('/webhooks', { url, events: ['music.generation.succeeded', 'music.generation.failed'] });
  await rule(account, { fail_job: 'render_failed' }, { match: { take: 2 } });
  await rule(account, { webhook: 'duplicate' }, { match: { take: 1 } });
  const { body } = await account.post('/music/generations', { style: 'slow piano', instrumental: true, seconds: 30 });
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  for (const id of ids) await account.finished(`/music/generations/${id}`);
  await emulator.control('GET', `/wait?for=idle&account_id=${account.id}`);
  const told = (await account.deliveries()).map((delivery) => [
    delivery.type,
    (delivery as { fault?: string | null }).fault,
  ]);
  expect(told.toSorted()).toEqual([
    ['music.generation.failed', null],
    ['music.generation.succeeded', null],
    ['music.generation.succeeded', 'duplicate'],
  ]);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -3', 'charge -3', 'refund 3']);
});
