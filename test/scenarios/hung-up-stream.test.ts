import { once } from 'node:events';
import { expect, it } from 'vitest';
import { journalled } from '../support/striking.ts';
import { CHAT, openCall, sendCall } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();

/** Resolves when the journal has a request of the account: then the connection is over for the emulator too. */
async function overFor(account: TestAccount) {
  const [request] = await journalled(account, 1);
  return request;
}

async function expectChargedOnce(account: TestAccount, credits: number) {
  expect(await account.ledger()).toEqual(['grant 50', `charge -${credits}`]);
  expect((await account.get('/account')).body).toEqual({
    object: 'account',
    credits: 50 - credits,
    usage_30d: { requests: 1, credits },
  });
  expect([await account.events(), await account.deliveries()]).toEqual([[], []]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
}

it('leaves a stream charged whose client hangs up after the first piece [I038]', async () => {
  const account = await emulator.account();
  const socket = sendCall(account, '/chat/completions', { ...CHAT, model: 'svc-rp-plus', stream: true });
  await once(socket, 'data');
  socket.resetAndDestroy();
  await overFor(account);
  await expectChargedOnce(account, 3);
});

it('leaves a reply charged whose client does not wait for it, and ends the waiting [I038 I173]', async () => {
  await emulator.control('PUT', '/clock', { frozen: true });
  const account = await emulator.account();
  const messages = [{ role: 'user', content: '[[slow:3600]] Hello' }];
  const socket = sendCall(account, '/chat/completions', { ...CHAT, messages });
  await account.charged();
  socket.resetAndDestroy();
  await overFor(account);
  await emulator.advance(3600);
  await expectChargedOnce(account, 1);
});

it('goes on with a picture whose client hung up, and keeps it in the library [I038]', async () => {
  const account = await emulator.account();
  const call = openCall(account, '/images/generations', { prompt: 'a pier [[slow:60]]' });
  await account.charged();
  call.hangUp();
  expect(await call.answered).toBe('cut');
  await emulator.advance(60);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -10']);
  expect(await account.events()).toEqual(['image.generation.succeeded']);
  const { body } = await emulator.control('GET', `/library?account_id=${account.id}`);
  expect(body.data).toHaveLength(1);
});
