import { expect, it } from 'vitest';
import { appliedFault, journalled, rule } from '../support/striking.ts';
import { CHAT, openCall } from '../support/wire.ts';
import { OWN_RENDERS, type TestAccount, world } from '../support/world.ts';

const emulator = await world({}, OWN_RENDERS);
await emulator.control('PUT', '/clock', { frozen: true });

/** Orders, hangs up once `isUnderWay`, and resolves when the emulator has the call on record. */
async function leave(account: TestAccount, path: string, body: object, isUnderWay: () => Promise<void>) {
  const call = openCall(account, path, body);
  await isUnderWay();
  call.hangUp();
  expect(await call.answered).toBe('cut');
  await journalled(account, 1);
}

/** What was ordered came to its end though the clock stands still, was paid for once, and left nothing open. */
async function expectDone(account: TestAccount, credits: number, events: string[]) {
  await account.idle();
  expect((await account.jobs()).some(({ status }) => status !== 'succeeded')).toBe(false);
  expect(await account.events()).toEqual(events);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 100', `charge -${credits}`]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
}

const PICTURE = ['image.generation.succeeded'];
const CLIP = ['video.generation.succeeded'];
const CREDITS = { credits: 150 };

it.each<[string, string, object, number, string[]]>([
  ['reply', '/chat/completions', { ...CHAT, context: '[[slow:600]]' }, 1, []],
  ['picture', '/images/generations', { prompt: 'a pier [[slow:600]]' }, 10, PICTURE],
  ['unstored picture', '/images/generations', { prompt: 'a lake [[slow:600]]', store: false }, 10, PICTURE],
  ['voice', '/audio/speech', { input: 'Hello [[slow:600]]', voice: 'aria' }, 3, []],
  ['clip', '/videos/generations', { model: 'svc-motion-one', prompt: 'a river [[slow:600]]' }, 100, CLIP],
])('does a slow %s at once when its client hangs up [I207 I173]', async (_name, path, body, credits, events) => {
  const account = await emulator.account(CREDITS);
  await leave(account, path, body, () => account.charged(3));
  await expectDone(account, credits, events);
});

it.each<[string, string, number, string[]]>([
  ['picture', '/images/generations', 10, PICTURE],
  ['clip', '/videos/generations', 100, CLIP],
])(
  'does a %s at once that a progression by hand held, when its client hangs up [I207 I138]',
  async (_name, path, credits, events) => {
    const account = await emulator.account(CREDITS);
    await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
    await leave(account, path, { prompt: 'a harbour' }, () => account.ordered());
    await expectDone(account, credits, events);
  },
);

it.each<[string, string, object, number, string[]]>([
  ['reply', '/chat/completions', CHAT, 1, []],
  ['picture', '/images/generations', { prompt: 'a delayed pier' }, 10, PICTURE],
  ['clip', '/videos/generations', { prompt: 'a delayed river' }, 100, CLIP],
])(
  'does a delayed %s at once when its client hangs up [I207 I143 I173]',
  async (_name, path, body, credits, events) => {
    const account = await emulator.account(CREDITS);
    const shown = await rule(account, { delay_ms: 600_000 });
    await leave(account, path, body, () => appliedFault(shown));
    await expectDone(account, credits, events);
  },
);
