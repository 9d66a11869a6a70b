import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { chatOf, reply, script, scripted } from '../support/scripting.ts';
import { faultyAccount, rule } from '../support/striking.ts';
import { CHAT } from '../support/wire.ts';
import { ephemeral, SHARED_RENDERS, World, world } from '../support/world.ts';

const emulator = await world();

it('does not use a scripted answer if a fault rule returns a status, but uses it if a rule omits [DONE] from its stream', async () => {
  const account = await emulator.account();
  const match = { account_id: account.id };
  await script(account, { answer: { pieces: ['One ', { text: 'two.', delay_ms: 1 }] }, times: 2 });
  await emulator.control('POST', '/faults', { match, effect: { status: 418 } });
  expect((await account.post('/chat/completions', chatOf('Hello.'))).status).toBe(418);
  const stream = { omit_done: true };
  await emulator.control('POST', '/faults', { match, effect: { stream } });
  const spoilt = await account.post('/chat/completions', { ...chatOf('Hello.'), stream: true });
  const text = spoilt.bytes.toString();
  expect([text.includes('"One "'), text.includes('"two."'), text.includes('[DONE]')]).toEqual([...[true, true, false]]);
  expect(await reply(account, 'Hello.')).toBe('One two.');
  expect(await reply(account, 'Hello.')).not.toBe('One two.');
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1', 'charge -1']);
});

it('applies directives before a scripted answer: charges nothing for a status, and refunds a failure', async () => {
  const account = await scripted(emulator, [{ match: { message: 'boat' }, answer: { text: 'BOAT' }, times: 2 }]);
  expect(await reply(account, 'boat [[status:409]]')).toBe('conflict');
  expect(await reply(account, 'boat [[fail]]')).toBe('render_failed');
  expect([await reply(account, 'boat'), (await reply(account, 'boat')) === 'BOAT']).toEqual([...['BOAT', false]]);
  const charges = ['charge -1', 'refund 1', 'charge -1', 'charge -1'];
  expect(await account.ledger()).toEqual(['grant 50', ...charges]);
});

it('lists in unusedFaults only fault rules that were never applied, after the emulator is closed', async () => {
  const started = await startEmulator(ephemeral(), SHARED_RENDERS);
  const here = new World(started);
  const { account, shown: appliedFault } = await faultyAccount(here, { status: 503 });
  await account.post('/chat/completions', CHAT);
  expect(await appliedFault()).toMatchObject({ applied: 1 });
  const idle = await rule(account, { fail_job: 'lost' }, { match: { contains: 'xyzzy' } });
  const { id } = await idle();
  await started.close();
  expect(started.unusedFaults).toEqual([
    `${id} {"contains":"xyzzy","account_id":"${account.id}"} -> {"fail_job":"lost"}`,
  ]);
});
