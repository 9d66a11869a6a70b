import { expect, it } from 'vitest';
import { script, scripted } from '../support/scripting.ts';
import { CHAT, expectError, fileForm } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world({ fixturesOnly: true });

const OPERATIONS: [string, object][] = [
  ['/chat/completions', CHAT],
  ['/images/generations', { prompt: 'a pier' }],
  ['/videos/generations', { prompt: 'a pier' }],
  ['/videos/generations', { prompt: 'a pier', seconds: 5 }],
  ['/audio/speech', { input: 'Hello', voice: 'aria' }],
  ['/music/generations', { style: 'folk' }],
];

it.each(OPERATIONS)(
  'rejects POST %s %j under --fixtures-only without a matching scripted answer, uncharged [I169]',
  async (path, order) => {
    const account = await emulator.account({ credits: 500 });
    expectError(await account.post(path, order), 422, 'no_fixture');
    expect(await account.ledger()).toEqual(['grant 50', 'top_up 450']);
    expect([await account.jobs(), await account.events()]).toEqual([[], []]);
  },
);

it('names in a no_fixture error the closest scripted answer, and why each field does not match [I169]', async () => {
  const account = await emulator.account();
  const answer = { text: 'Lit.' };
  const [near] = await script(
    account,
    { name: 'near', match: { message: 'lantern', turn: 2 }, answer },
    { name: 'far', match: { message: 'tide', turn: 3, model: 'svc-rp-plus' }, answer },
    { name: 'another', match: { operation: 'createTranscription' }, answer },
  );
  const { message } = expectError(await account.post('/chat/completions', CHAT), 422, 'no_fixture');
  expect(message).toContain(
    `The nearest is "near" (${near}, http): match.message contains "lantern", the request's is "Hello there."; match.turn is 2, the request's is 1.`,
  );
  const other = await emulator.account();
  const refused = await other.post('/images/generations', { prompt: 'a pier' });
  expect(expectError(refused, 422, 'no_fixture').message).not.toContain('none at all');
});

it('says in a no_fixture error that a scripted answer is used up, or is for another operation [I169]', async () => {
  const account = await scripted(emulator, [{ answer: { text: 'Once.' }, times: 1 }]);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  const again = await account.post('/chat/completions', CHAT);
  expect(expectError(again, 422, 'no_fixture').message).toContain('times is 1, and it was used once');
  const picture = await account.post('/images/generations', { prompt: 'a pier' });
  expect(expectError(picture, 422, 'no_fixture').message).toContain(
    'its answer is for createChatCompletion or createTranscription, the request is createImage',
  );
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('says under --fixtures-only that there is no scripted answer, and serves operations that generate nothing [I169]', async () => {
  const empty = await world({ fixturesOnly: true });
  const account = await empty.account();
  const { message } = expectError(await account.post('/chat/completions', CHAT), 422, 'no_fixture');
  expect(message).toContain('There are no scripted answers');
  expect((await account.post('/storage/objects', fileForm())).status).toBe(200);
  for (const path of ['/models', '/account', '/storage/objects', '/webhooks']) {
    expect((await account.get(path)).status, path).toBe(200);
  }
  expect((await account.get('/videos/generations/job_none')).status).toBe(404);
  const { data } = (await empty.control('GET', `/requests?account_id=${account.id}`)).body;
  expect(data.at(-1)).toMatchObject({ operation: 'createChatCompletion', status: 422 });
  expect(await account.ledger()).toEqual(['grant 50', 'charge -2']);
});
