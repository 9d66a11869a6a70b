import { expect, it } from 'vitest';
import { HOSTILE_PROMPTS } from '../support/hostile-prompts.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const here = await world();

const PICTURE = { type: 'image_url', image_url: 'https://example.test/a.png' };
const SEEN = { role: 'user', content: [{ type: 'text', text: 'Look' }, PICTURE, PICTURE] };

it.each([
  ['createChatCompletion', '/chat/completions', CHAT, [1]],
  ['createChatCompletion', '/chat/completions', { model: 'svc-rp-plus', messages: [SEEN] }, [7]],
  ['createImage', '/images/generations', { prompt: 'a pier' }, [10]],
  ['createImage', '/images/generations', { prompt: 'a pier', store: true }, [12]],
  ['createVideo', '/videos/generations', { prompt: 'a pier' }, [100]],
  ['createVideo', '/videos/generations', { prompt: 'a', duration: '10s', store: true }, [182]],
  ['createVideo', '/videos/generations', { prompt: 'a pier', duration: '5s', seed: 1 }, [60]],
  ['createVideo', '/videos/generations', { prompt: 'a', model: 'vid_cged4l4k', seconds: 6 }, [636]],
  ['createSpeech', '/audio/speech', { input: `[[slow:0]]${'é'.repeat(101)}`, voice: 'aria' }, [6]],
  ['createSong', '/music/generations', { prompt: 'a pier', seconds: 60 }, [6, 6]],
  ['createSong', '/music/generations', { style: 'slow', seconds: 30, n: 1 }, [3]],
])('reports for %s what %s then charges: %j', async (operation, path, body, charges) => {
  const account = await here.account({ plan: 'studio', credits: 5000 });
  const opened = await account.ledger();
  const price = await here.control('POST', '/price', { operation, body });
  expect(price.body).toMatchObject({ operation, charges: charges.length, ignored: [] });
  expect(await account.ledger()).toEqual(opened);
  await account.post(path, body);
  const spent = (await account.ledger()).slice(opened.length);
  expect(spent).toEqual(charges.map((credits) => `charge -${credits}`));
  expect(price.body.credits).toBe(charges.reduce((sum, each) => sum + each));
});

it('prices an upload by its size, and writes the sum out', async () => {
  const upload = { operation: 'uploadObject', bytes: 10 * 1_048_576 + 1 };
  const { body } = await here.control('POST', '/price', upload);
  expect([body.credits, body.text]).toEqual([4, '2 × 2 (started 10 MiB of 10485761 bytes) = 4']);
  const scribe = await here.control('POST', '/price', { operation: 'createTranscription' });
  expect(scribe.body.credits).toBe(5);
});

it('prices what is free at nothing, and names the fields that would be ignored', async () => {
  const free = await here.control('POST', '/price', { operation: 'getAccount' });
  expect(free.body).toMatchObject({ credits: 0, charges: 0, terms: [] });
  const order = { operation: 'createImage', body: { prompt: 'a', sise: 1 } };
  expect((await here.control('POST', '/price', order)).body.ignored).toEqual(['sise']);
});

it.each([
  [{ operation: 'createImage', body: {} }, 'invalid_request', 'prompt'],
  [{ operation: 'createSong', body: {} }, 'invalid_request', 'prompt'],
  [{ operation: 'createVideo', body: { prompt: 'a', seconds: 99 } }, 'invalid_request', 'seconds'],
  [{ operation: 'createVideo', body: { model: 'x', prompt: 'a' } }, 'model_not_found', 'model'],
])('says of %j why its operation would refuse it', async (order, code, param) => {
  const { status, body } = await here.control('POST', '/price', order);
  expect([status, body.credits, body.charges]).toEqual([200, 0, 0]);
  expect(body.refusal).toEqual({ code, message: expect.stringContaining(param), param });
});

it('knows the operations of the service only', async () => {
  expectError(await here.control('POST', '/price', { operation: 'paint' }), 400, 'invalid_request', 'operation');
});

it('reports what a picture would understand of a prompt, uncharged and unrecorded [I239]', async () => {
  const account = await here.account({ plan: 'studio', credits: 50 });
  const opened = await account.ledger();
  const { body: jobs } = await here.control('GET', `/jobs?account_id=${account.id}`);
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
  expect((await here.control('GET', `/jobs?account_id=${account.id}`)).body).toEqual(jobs);
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
