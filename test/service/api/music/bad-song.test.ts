import { expect, it } from 'vitest';
import { world } from '../../../support/world.ts';

const here = await world();
const SONGS = '/music/generations';

it.each([
  [{}, 'prompt', 'I063'],
  [{ title: 'Tide' }, 'prompt', 'I063'],
  [{ prompt: null, style: null, lyrics: null }, 'prompt', 'I063'],
  [{ instrumental: true, lyrics: 'la la' }, 'prompt', 'I180'],
  [{ prompt: '' }, 'prompt', 'I063'],
  [{ prompt: 5 }, 'prompt', 'I006'],
  [{ style: ['folk'] }, 'style', 'I006'],
  [{ lyrics: '' }, 'lyrics', 'I063'],
  [{ lyrics: 5 }, 'lyrics', 'I006'],
  [{ prompt: 'x', title: 5 }, 'title', 'I006'],
  [{ prompt: 'x', seconds: 29 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: 0 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: 45 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: 270 }, 'seconds', 'R180'],
  [{ prompt: 'x', seconds: '60' }, 'seconds', 'R180'],
  [{ prompt: 'x', n: 0 }, 'n', 'R181'],
  [{ prompt: 'x', n: 3 }, 'n', 'R181'],
  [{ prompt: 'x', n: 1.5 }, 'n', 'R181'],
  [{ prompt: 'x', seed: -1 }, 'seed', 'I125'],
  [{ prompt: 'x', seed: 4_294_967_295 }, 'seed', 'I125'],
  [{ prompt: 'x', seed: 'seven' }, 'seed', 'I125'],
  [{ prompt: 'x', instrumental: 'yes' }, 'instrumental', 'R183'],
  [{ prompt: 'x', model: 'svc-voice-one' }, 'model', 'I102'],
  [{ prompt: 'x', model: 5 }, 'model', 'I006'],
])('refuses %j, naming %s, and starts nothing [%s]', async (order, param, _rule) => {
  const ana = await here.account();
  const { status, body } = await ana.post(SONGS, order);
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', param]);
  expect(await ana.ledger()).toEqual(['grant 50']);
  expect(await ana.jobs()).toEqual([]);
  expect(await ana.events()).toEqual([]);
});

it.each([
  ['prompt', 10_000],
  ['style', 2000],
  ['lyrics', 20_000],
  ['title', 200],
])('refuses a %s of more than %i characters, says so and starts nothing [I225]', async (field, most) => {
  const ana = await here.account();
  const { status, body } = await ana.post(SONGS, { prompt: 'x', [field]: 'x'.repeat(most + 1) });
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', field]);
  expect(body.error.message).toContain(`has ${most + 1} characters; it must have at most ${most}`);
  expect(await ana.ledger()).toEqual(['grant 50']);
});

it('takes texts of the greatest length [I225]', async () => {
  const ana = await here.account({ credits: 100 });
  const longest = {
    ...{ prompt: '𝄞'.repeat(10_000), style: 'x'.repeat(2000), lyrics: 'la '.repeat(6666), title: 't'.repeat(200) },
    ...{ seconds: 30, n: 1 },
  };
  expect((await ana.post(SONGS, { ...longest, prompt: `[[fail]]${longest.prompt}` })).status).toBe(202);
});

it('knows no other music model [R063]', async () => {
  const { status, body } = await (await here.account()).post(SONGS, {
    prompt: 'x',
    model: 'svc-music-two',
  });
  expect([status, body.error.code, body.error.param]).toEqual([404, 'model_not_found', 'model']);
});
