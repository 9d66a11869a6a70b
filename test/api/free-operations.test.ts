import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();
const HOOK = { url: 'http://127.0.0.1:9/', events: ['image.generation.failed'] };
const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };

async function uploadedId(account: TestAccount): Promise<string> {
  const form = new FormData();
  form.set('file', new Blob(['hello']), 'hello.txt');
  return (await account.post('/storage/objects', form)).body.id;
}

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

it('takes nothing for deleting an object, and gives nothing back [R130]', async () => {
  const account = await emulator.account();
  const id = await uploadedId(account);
  expect((await account.delete(`/storage/objects/${id}`)).body.deleted).toBe(true);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -2']);
});

it('takes nothing for polling a song, however often [R133]', async () => {
  const account = await emulator.account();
  const { body } = await account.post('/music/generations', SONG);
  for (let n = 0; n < 5; n += 1) await account.get(`/music/generations/${body.data[0].id}`);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -3']);
});

it.each(['flow_none', 'another workspace'])(
  'answers flow_not_found for an endpoint that is narrowed to %s, and makes none [R236 I012]',
  async (which) => {
    const account = await emulator.account();
    const { workspaceId } = await emulator.account();
    const order = {
      workspace_id: workspaceId,
      name: 'F',
      steps: [{ nodeId: 'a', type: 'post', params: { text: 'x' } }],
    };
    const foreign = (await emulator.control('POST', '/flows', order)).body.id;
    const flow_id = which === 'flow_none' ? which : foreign;
    const hook = { url: HOOK.url, events: ['flow.run.failed'], flow_id };
    expectError(await account.post('/webhooks', hook), 404, 'flow_not_found');
    expect((await account.get('/webhooks')).body.webhooks).toEqual([]);
  },
);
