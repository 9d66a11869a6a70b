import { expect, it } from 'vitest';
import { CHAT } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
await emulator.control('PUT', '/clock', { frozen: true });

it.each<[string, string, object, number, string[]]>([
  ['reply', '/chat/completions', { ...CHAT, context: '[[slow:30]]' }, 1, []],
  ['stream', '/chat/completions', { ...CHAT, context: '[[slow:30]]', stream: true }, 1, []],
  ['failure', '/chat/completions', { ...CHAT, context: '[[slow:30]][[fail]]' }, 0, []],
  ['picture', '/images/generations', { prompt: 'a pier [[slow:30]]' }, 10, ['image.generation.succeeded']],
  ['voice', '/audio/speech', { input: 'Hello [[slow:30]]', voice: 'aria' }, 3, []],
])(
  'holds a slow %s (POST %s) back until the frozen clock has come to its time [I124 I152]',
  async (_name, path, order, credits, events) => {
    const account = await emulator.account();
    let answered = false;
    const posting = account.post(path, order).then((answer) => {
      answered = true;
      return answer;
    });
    await account.charged();
    await emulator.advance(29);
    expect([answered, await account.events()]).toEqual([false, []]);
    await emulator.advance(1);
    const { status } = await posting;
    expect(status).toBe(credits ? 200 : 502);
    expect(await account.balance()).toBe(50 - credits);
    expect(await account.events()).toEqual(events);
    expect(await account.deliveries()).toEqual([]);
    expect(await emulator.invariants()).toMatchObject({ ok: true });
  },
);

it('lets slow and quick calls of one account pass each other [I124]', async () => {
  const account = await emulator.account();
  const order: string[] = [];
  const say = (content: string) =>
    account
      .post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] })
      .then(() => order.push(content));
  const slow = say('[[slow:5]] slow');
  await account.charged();
  await say('quick');
  await emulator.advance(5);
  await slow;
  expect(order).toEqual(['quick', '[[slow:5]] slow']);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1', 'charge -1']);
});
