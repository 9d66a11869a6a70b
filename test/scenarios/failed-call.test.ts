import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
const FAILED = { image: 'image.generation.failed', video: 'video.generation.failed' };

it.each<[string, string, object, number, string[]]>([
  ['chat', '/chat/completions', { ...CHAT, context: '[[fail]]' }, 1, []],
  ['image', '/images/generations', { prompt: '[[fail]] a pier', store: true }, 12, [FAILED.image]],
  ['video', '/videos/generations', { prompt: '[[fail]] a pier' }, 100, [FAILED.video]],
  ['speech', '/audio/speech', { input: 'Hello [[fail]]', voice: 'aria' }, 3, []],
])(
  'answers a failed %s call (POST %s) with a 502, refunded in full before it is told [R005 R006 I018 I027]',
  async (_name, path, order, credits, events) => {
    const account = await emulator.account({ credits: 150 });
    const answer = await account.post(path, order);
    expectError(answer, 502, 'render_failed');
    expect(answer.body.error.type).toBe('api_error');
    const [, , charge, refund, ...more] = await account.entries();
    expect([charge?.amount, refund?.amount, more]).toEqual([-credits, credits, []]);
    expect(refund).toMatchObject({
      type: 'refund',
      refund_of: charge?.id,
      operation: charge?.operation,
      job_id: charge?.job_id,
      balance: 150,
    });
    expect(await account.balance()).toBe(150);
    expect(await account.events()).toEqual(events);
    expect((await account.get('/storage/objects')).body.data).toEqual([]);
    const { body } = await emulator.control('GET', `/library?account_id=${account.id}`);
    expect(body.data).toEqual([]);
    expect(await emulator.invariants()).toMatchObject({ ok: true });
  },
);
