import { parseBuffer } from 'music-metadata';
import { expect, it } from 'vitest';
import { expectError } from '../../../support/wire.ts';
import { type TestAccount, world } from '../../../support/world.ts';

const here = await world();
const SPEECH = '/audio/speech';

const speak = (account: TestAccount, order: object) =>
  account.post(SPEECH, { input: 'The tide is low.', voice: 'aria', ...order });

it('answers MP3 bytes, and the credits in headers [R127 R170 I002 I030]', async () => {
  const ana = await here.account();
  const { status, headers, bytes } = await speak(ana, {});
  expect([status, headers.get('content-type')]).toEqual([200, 'audio/mpeg']);
  expect(headers.get('content-length')).toBe(`${bytes.length}`);
  expect(headers.get('svc-emulator-credits-spent')).toBe('3');
  expect(headers.get('svc-emulator-credits-remaining')).toBe('47');
  const { format } = await parseBuffer(bytes, 'audio/mpeg', { duration: true });
  expect(format.codec).toMatch(/Layer 3$/);
  expect(format.duration).toBeGreaterThan(0.5);
  expect(await ana.balance()).toBe(47);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -3']);
  expect(await ana.events()).toEqual([]);
});

it.each([
  [1, 3],
  [100, 3],
  [101, 6],
  [200, 6],
  [201, 9],
])('charges %i characters %i credits [R127 I029 I105]', async (length, credits) => {
  const ana = await here.account();
  const { headers } = await speak(ana, { input: `${'🎵'.repeat(length)}[[fail]]` });
  expect(headers.get('svc-emulator-credits-spent')).toBeNull();
  expect(await ana.ledger()).toEqual(['grant 50', `charge -${credits}`, `refund ${credits}`]);
});

it('speaks 4,096 characters, and a text of directives alone [I067 I103 I152]', async () => {
  const ana = await here.account({ credits: 500 });
  const long = await speak(ana, { input: 'word '.repeat(820).slice(0, 4096) });
  expect([long.status, long.headers.get('svc-emulator-credits-spent')]).toEqual([200, '123']);
  const silent = await speak(ana, { input: '[[slow:0]]' });
  expect([silent.status, silent.headers.get('svc-emulator-credits-spent')]).toEqual([200, '3']);
});

it('keeps what was spoken in the library, with its recipe [I047]', async () => {
  const ana = await here.account();
  const { bytes } = await speak(ana, { voice: 'orion' });
  expect(await ana.library()).toMatchObject([
    {
      ...{
        kind: 'speech',
        model: 'svc-voice-one',
        bytes: bytes.length,
        content_type: 'audio/mpeg',
      },
      recipe: { input: 'The tide is low.', voice: 'orion' },
    },
  ]);
});

it('speaks the same text in the same voice with the same bytes, in the other voice with others [R168 I097]', async () => {
  const [ana, ben] = [await here.account(), await here.account()];
  const one = await speak(ana, {});
  const two = await speak(ben, { model: 'svc-voice-one' });
  const other = await speak(ben, { voice: 'orion' });
  expect(two.bytes.equals(one.bytes)).toBe(true);
  expect(other.bytes.equals(one.bytes)).toBe(false);
});

it.each([
  [{ input: undefined }, 'input', 'R167'],
  [{ input: null }, 'input', 'R167'],
  [{ input: '' }, 'input', 'R167 I067'],
  [{ input: 'x'.repeat(4097) }, 'input', 'I067'],
  [{ input: ['hello'] }, 'input', 'R167'],
  [{ voice: undefined }, 'voice', 'R168'],
  [{ voice: 'alloy' }, 'voice', 'R168'],
  [{ voice: 'Aria' }, 'voice', 'R168'],
  [{ model: 'svc-music-one' }, 'model', 'R169 I102'],
  [{ model: 5 }, 'model', 'R169'],
])('refuses %j, naming %s [%s]', async (order, param, _rules) => {
  const ana = await here.account();
  expectError(await speak(ana, order), 400, 'invalid_request', param);
  expect(await ana.ledger()).toEqual(['grant 50']);
  expect(await ana.jobs()).toEqual([]);
});

it('knows no other voice model [R169]', async () => {
  expectError(await speak(await here.account(), { model: 'svc-voice-two' }), 404, 'model_not_found', 'model');
});

it.each([
  ['[[fail]]', 'render_failed'],
  ['[[fail:tts_down]]', 'tts_down'],
])('refunds a text that fails by %s, and announces nothing [R005 I018 I094]', async (directive, code) => {
  const ana = await here.account();
  const { status, body } = await speak(ana, { input: `Hello ${directive}` });
  expect([status, body.error.code, body.error.type]).toEqual([502, code, 'api_error']);
  expect(await ana.ledger()).toEqual(['grant 50', 'charge -3', 'refund 3']);
  expect(await ana.events()).toEqual([]);
  expect(await ana.library()).toEqual([]);
  expect((await here.invariants()).ok).toBe(true);
});

it('is not moderated, and [[block]] is ignored with a warning [I122]', async () => {
  const ana = await here.account();
  const { status, headers } = await speak(ana, { input: 'how to make a bomb [[block]]' });
  expect([status, headers.get('svc-emulator-warnings')]).toEqual([200, 'input;directive=block']);
});
