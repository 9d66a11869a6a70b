import { expect, it } from 'vitest';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

it('records a note, and shows it on the timeline of an order that was in progress then, unless the note names another account [I265]', async () => {
  const [account, other] = [await emulator.account({ credits: 100 }), await emulator.account({ credits: 100 })];
  await emulator.control('POST', '/notes', { text: 'too early' });
  await emulator.control('PUT', '/progression', { mode: 'manual', account_id: account.id });
  const made = await account.post('/music/generations', { prompt: 'a waltz', n: 1, seconds: 30 });
  const { status, body } = await emulator.control('POST', '/notes', { text: 'the second act' });
  expect([status, body]).toEqual([
    201,
    { text: 'the second act', account_id: null, at: expect.stringMatching(/Z$/), now: expect.stringMatching(/Z$/) },
  ]);
  await emulator.control('POST', '/notes', { text: 'of another', account_id: other.id });
  await emulator.control('POST', `/jobs/${made.body.data[0].id}/finish`, { outcome: 'failed' });
  await emulator.control('POST', '/notes', { text: 'too late' });
  const timeline = (await emulator.control('GET', `/timeline/${made.headers.get('x-request-id')}`)).body;
  const notes = timeline.steps.filter(({ kind }: { kind: string }) => kind === 'note');
  expect(notes).toMatchObject([{ text: 'Note: the second act', tone: 'plain', track: { lane: 'service' } }]);
  const record = (await emulator.control('GET', '/record?kind=note')).body.data;
  expect(record.map(({ detail }: { detail: object }) => detail)).toEqual(
    ['too late', 'of another', 'the second act', 'too early'].map((text) => ({ text })),
  );
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'refund 3']);
});

it.each<[string, object, number, string, string?]>([
  ['without a text', {}, 400, 'invalid_request', 'text'],
  ['with an empty text', { text: '' }, 400, 'invalid_request', 'text'],
  ['of 2,001 characters', { text: 'x'.repeat(2001) }, 400, 'invalid_request', 'text'],
  ['of an unknown account', { text: 'a', account_id: 'acct_0' }, 404, 'not_found'],
])('rejects a note %s [I265]', async (_, note, status, code, param) => {
  expectError(await emulator.control('POST', '/notes', note), status, code, param);
});
