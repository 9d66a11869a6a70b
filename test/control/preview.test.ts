import { expect, it } from 'vitest';
import { HOSTILE_PROMPTS } from '../support/hostile-prompts.ts';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const here = await world();

it('reports what a picture would understand of a prompt, uncharged and unrecorded [I239]', async () => {
  const account = await here.account({ plan: 'studio', credits: 50 });
  const opened = await account.ledger();
  const { body: jobs } = await here.control('GET', '/jobs');
  const prompt = 'zwei rote Füchse im Wald, nachts, ohne Bäume';
  const { status, body } = await here.control('POST', '/renders/preview', { kind: 'image', prompt });
  expect([status, body]).toEqual([
    200,
    {
      language: 'de',
      subjects: [{ concept: 'fox', count: 2, colour: 'red' }],
      ...{ place: 'forest', time_of_day: 'night', weather: null, season: null, style: null },
      negated: ['tree'],
      caption: prompt,
    },
  ]);
  expect(await account.ledger()).toEqual(opened);
  expect((await here.control('GET', '/jobs')).body).toEqual(jobs);
});

it.each([
  ['a prompt in Japanese', '森の赤い狐', { language: 'ja', subjects: [{ concept: 'fox', count: 1, colour: 'red' }] }],
  ['directives beside it', '[[slow:1]] a fox', { language: 'en', caption: 'a fox' }],
  ['no words at all', '…', { language: 'und', subjects: [], place: null, caption: '…' }],
  ['half of a surrogate pair', 'a fox \ud83e', { language: 'en', caption: 'a fox \ufffd' }],
  ['nothing', '', { language: 'und', caption: '' }],
])('reports what is understood of %s', async (_, prompt, told) => {
  const { body } = await here.control('POST', '/renders/preview', { kind: 'video', prompt });
  expect(body).toMatchObject(told);
});

it.each(HOSTILE_PROMPTS)('understands the same each time of %s, in text that is well formed', async (_, prompt) => {
  const ask = () => here.control('POST', '/renders/preview', { kind: 'image', prompt });
  const [one, other] = [await ask(), await ask()];
  expect([one.status, one.body.caption.isWellFormed()]).toEqual([200, true]);
  expect(other.body).toEqual(one.body);
});

it.each([
  ['an unknown kind', { kind: 'song', prompt: 'a' }, 'kind'],
  ['no prompt', { kind: 'image' }, 'prompt'],
  ['a prompt that is too long', { kind: 'image', prompt: 'a'.repeat(2401) }, 'prompt'],
  ['a model of another kind', { kind: 'image', prompt: 'a', model: 'svc-voice-one' }, 'model'],
])('refuses %s by name', async (_, body, param) => {
  expectError(await here.control('POST', '/renders/preview', body), 400, 'invalid_request', param);
});
