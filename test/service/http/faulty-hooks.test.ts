import { expect, it } from 'vitest';
import { callHook, makeFlow, POST, settledRun, TEXT } from '../../support/flow-rig.ts';
import { subscribe } from '../../support/receiver.ts';
import { rule } from '../../support/striking.ts';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

it('strikes calls of the hooks that an account pays for, and starts no run [I143]', async () => {
  const account = await emulator.account();
  const other = await emulator.account();
  const { hook_url: url, id } = await makeFlow(account, [TEXT]);
  const theirs = await makeFlow(other, [TEXT]);
  const shown = await rule(account, { status: 503 }, { match: { path: '/hooks', contains: 'tide' } });
  expectError(await emulator.call('POST', `${url}x`, { topic: 'tides' }), 404, 'not_found');
  expect((await emulator.call('POST', theirs.hook_url, { topic: 'tides' })).status).toBe(202);
  expectError(await emulator.call('POST', url, { topic: 'the tide' }), 503, 'injected_fault');
  expect(await shown()).toMatchObject({ strikes: 1 });
  const { body } = await emulator.control('GET', `/runs?flow_id=${id}&account_id=${account.id}`);
  expect(body.data).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('spoils the event of a run that a hook began, and of no paid call before it [I195 I196]', async () => {
  const account = await emulator.account();
  const { receiver } = await subscribe(account, ['flow.run.waiting', 'flow.run.succeeded']);
  const { hook_url: url } = await makeFlow(account, [TEXT, POST]);
  const shown = await rule(account, { webhook: 'duplicate' });
  await callHook(account, url, { topic: 'tides' }).then((id) => settledRun(account, id));
  const [first, second] = await receiver.received(2);
  expect(second?.body).toBe(first?.body);
  expect(await shown()).toMatchObject({ strikes: 1, remaining: 0 });
});
