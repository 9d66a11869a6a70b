import { expect, it } from 'vitest';
import { startLife } from '../support/lives.ts';
import { journalled } from '../support/striking.ts';
import { CHAT, openCall } from '../support/wire.ts';

const SLOW = { ...CHAT, context: '[[slow:3600]]' };
const REFUNDED = ['grant 50', 'charge -1', 'refund 1'];

it('refunds a slow chat or stream that a kill or stop interrupted, but none that its client left or that has ended [I106 R005]', async () => {
  const first = await startLife();
  const killed = await Promise.all([first.here.account(), first.here.account()]);
  const waiting = killed.map((account, at) =>
    account.post('/chat/completions', { ...SLOW, stream: at === 1 }).catch(() => 'cut'),
  );
  for (const account of killed) {
    await account.charged();
    expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
  }

  const second = await first.next();
  expect(await Promise.all(waiting)).toEqual(['cut', 'cut']);
  for (const account of killed) expect(await account.in(second.here).ledger()).toEqual(REFUNDED);
  await second.here.control('PUT', '/clock', { frozen: true });
  const open = async (context: string) => {
    const account = await second.here.account();
    return { account, ...openCall(account, '/chat/completions', { ...CHAT, context }) };
  };
  const [answered, failed] = [await open('[[slow:5]]'), await open('[[slow:3600]][[fail]]')];
  const [gone, cut] = [await open('[[slow:3600]]'), await open('[[slow:3600]]')];
  const calls = [answered, failed, gone, cut];
  await Promise.all(calls.map(({ account }) => account.charged(account === failed.account ? 3 : 2)));
  await second.here.advance(5);
  expect(await answered.answered).toBe(200);
  gone.hangUp();
  expect(await gone.answered).toBe('cut');
  // A call is in the journal once its connection is closed.
  await journalled(gone.account, 1);

  const { here } = await second.next('SIGTERM');
  expect([await failed.answered, await cut.answered]).toEqual(['cut', 'cut']);
  for (const account of killed) {
    const her = account.in(here);
    expect(await her.ledger()).toEqual(REFUNDED);
    expect(await her.events()).toEqual([]);
  }
  const ledgers = await Promise.all(calls.map(({ account }) => account.in(here).ledger()));
  expect(ledgers).toEqual([['grant 50', 'charge -1'], REFUNDED, ['grant 50', 'charge -1'], REFUNDED]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
