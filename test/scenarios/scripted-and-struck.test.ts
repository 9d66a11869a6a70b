import { expect, it } from 'vitest';
import { chatOf, reply, script } from '../support/scripting.ts';
import { world } from '../support/world.ts';

const emulator = await world();

it('strikes a request before a script answers it: the script keeps its use, the stream its pieces', async () => {
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

it('asks directives before the script: their failure is charged and refunded, and counts', async () => {
  const account = await emulator.account();
  await script(account, { match: { message: 'boat' }, answer: { text: 'BOAT' }, times: 2 });
  expect(await reply(account, 'boat [[status:409]]')).toBe('conflict');
  expect(await reply(account, 'boat [[fail]]')).toBe('render_failed');
  expect([await reply(account, 'boat'), (await reply(account, 'boat')) === 'BOAT']).toEqual([...['BOAT', false]]);
  const charges = ['charge -1', 'refund 1', 'charge -1', 'charge -1'];
  expect(await account.ledger()).toEqual(['grant 50', ...charges]);
});
