import { expect, it } from 'vitest';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const HOOK = { url: 'http://127.0.0.1:9/', events: ['image.generation.failed'] };

it.each<[string, string, (account: TestAccount) => Promise<{ status: number }>]>([
  ['listing the models', 'R131', (account) => account.get('/models')],
  ['showing the account', 'R131', (account) => account.get('/account')],
  ['listing objects', 'R130', (account) => account.get('/storage/objects')],
  ['listing endpoints', 'R134', (account) => account.get('/webhooks')],
  ['making an endpoint', 'R134 R135', (account) => account.post('/webhooks', HOOK)],
  ['deleting an endpoint', 'R134', (account) => account.delete('/webhooks/we_none')],
  ['reading samples', 'R134', (account) => account.get('/webhooks/samples?event=flow.run.failed')],
])('takes nothing for %s [%s]', async (_name, _rules, call) => {
  const account = await emulator.account();
  const { status } = await call(account);
  expect([200, 201]).toContain(status);
  expect(await account.ledger()).toEqual(['grant 50']);
  expect((await account.get('/account')).body.usage_30d).toEqual({ requests: 0, credits: 0 });
});
