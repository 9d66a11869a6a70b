import { expect, it } from 'vitest';
import { startLife } from '../support/lives.ts';
import { journalled } from '../support/striking.ts';
import { CHAT, openCall } from '../support/wire.ts';

it.each([
  ['chat', { ...CHAT, context: '[[slow:3600]]' }],
  ['stream', { ...CHAT, context: '[[slow:3600]]', stream: true }],
])(
  'refunds a slow %s once whose answer a kill cut off, for its result is kept nowhere [I106 R005]',
  async (_name, body) => {
    const first = await startLife();
    const ana = await first.here.account();
    const waiting = ana.post('/chat/completions', body).catch(() => 'cut');
    await ana.charged();
    expect(await ana.ledger()).toEqual(['grant 50', 'charge -1']);
    const second = await first.next();
    expect(await waiting).toBe('cut');
    expect(await ana.in(second.here).ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
    const third = await second.next();
    const her = ana.in(third.here);
    expect(await her.ledger()).toEqual(['grant 50', 'charge -1', 'refund 1']);
    expect(await her.events()).toEqual([]);
    expect(await third.here.invariants()).toMatchObject({ ok: true });
  },
);

it('refunds a slow chat that a stop cut off, and none that the client gave up or that was answered or failed before [I106 R005]', async () => {
  const first = await startLife();
  await first.here.control('PUT', '/clock', { frozen: true });
  const open = async (context: string) => {
    const account = await first.here.account();
    return { account, ...openCall(account, '/chat/completions', { ...CHAT, context }) };
  };
  const [answered, failed] = [await open('[[slow:5]]'), await open('[[slow:3600]][[fail]]')];
  const [gone, cut] = [await open('[[slow:3600]]'), await open('[[slow:3600]]')];
  const calls = [answered, failed, gone, cut];
  await Promise.all(calls.map(({ account }) => account.charged(account === failed.account ? 3 : 2)));
  await first.here.advance(5);
  expect(await answered.answered).toBe(200);
  gone.hangUp();
  expect(await gone.answered).toBe('cut');
  // A call is in the journal once its connection is closed.
  await journalled(gone.account, 1);
  const { here } = await first.next('SIGTERM');
  expect([await failed.answered, await cut.answered]).toEqual(['cut', 'cut']);
  const ledgers = await Promise.all(calls.map(({ account }) => account.in(here).ledger()));
  expect(ledgers).toEqual([
    ['grant 50', 'charge -1'],
    ['grant 50', 'charge -1', 'refund 1'],
    ['grant 50', 'charge -1'],
    ['grant 50', 'charge -1', 'refund 1'],
  ]);
  expect(await here.invariants()).toMatchObject({ ok: true });
});
