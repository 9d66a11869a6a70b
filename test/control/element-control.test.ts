import sharp from 'sharp';
import { expect, it } from 'vitest';
import { waveFile } from '../media/audio/audio-samples.ts';
import { flatPicture } from '../support/flat-picture.ts';
import { makeFlow, type Step } from '../support/flow-rig.ts';
import { dataUrl } from '../support/given-files.ts';
import { expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world();
const VIDEOS = '/videos/generations';

function create(account: TestAccount, more: object = {}) {
  const order = { account_id: account.id, handle: 'mira', kind: 'character', name: 'Mira' };
  return here.control('POST', '/elements', { ...order, ...more });
}

/** A tenth of a second of it. */
const silence = () => dataUrl('audio/wav', waveFile(3200));

it('keeps picture and voice of a character, and serves both [I089]', async () => {
  const account = await here.account();
  const { body } = await create(account, { image: await flatPicture('red'), voice: silence() });
  const picture = await here.call('GET', body.picture_url);
  const voice = await here.call('GET', body.voice_url);
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect(voice.headers.get('content-type')).toBe('audio/wav');
  expect(voice.bytes.toString('base64')).toBe(silence().split(',')[1]);
  const { body: one } = await here.control('GET', `/elements/${body.id}`);
  expect(one).toMatchObject({ id: body.id, used_by: { library: [], flows: [] } });
  const bare = body.picture_url.split('?')[0];
  expectError(await here.call('GET', bare), 403, 'invalid_signature');
});

it.each([
  [{ voice: 'data:audio/wav;base64,AAAA' }, 'voice'],
  [{ voice: 'data:image/png;base64,AAAA' }, 'voice'],
  [{ voice: silence(), kind: 'prop' }, 'voice'],
  [{ image: silence() }, 'image'],
])('saves no element of %j [I089]', async (fields, param) => {
  const account = await here.account();
  expectError(await create(account, fields), 400, 'invalid_request', param);
  expect((await here.control('GET', `/elements?account_id=${account.id}`)).body.data).toEqual([]);
});

it('says which element has a handle already, whatever its case [I089]', async () => {
  const account = await here.account();
  const { body: mira } = await create(account);
  const { message, param } = expectError(await create(account, { handle: '@MIRA' }), 400, 'invalid_request');
  expect([param, message.includes(mira.id)]).toEqual(['handle', true]);
  expect((await create(await here.account())).status).toBe(201);
});

it('changes what a PATCH names and nothing else [I089]', async () => {
  const account = await here.account();
  const { body: mira } = await create(account, { image: await flatPicture('red') });
  await create(account, { handle: 'kit' });
  const patch = (changes: object) => here.control('PATCH', `/elements/${mira.id}`, changes);

  expect((await patch({ name: 'Mira II', handle: 'Mira' })).body).toMatchObject({
    ...{ id: mira.id, handle: 'mira', name: 'Mira II', kind: 'character' },
    picture_url: expect.stringContaining('/picture.png?'),
  });
  expect((await patch({ handle: 'captain' })).body.handle).toBe('captain');
  expectError(await patch({ handle: 'kit' }), 400, 'invalid_request', 'handle');
  await patch({ voice: silence() });
  expectError(await patch({ kind: 'prop' }), 400, 'invalid_request', 'voice');
  const bare = (await patch({ image: null, voice: null, kind: 'prop' })).body;
  expect(bare).toMatchObject({ kind: 'prop', picture_url: null, voice_url: null });
  expectError(await here.call('GET', mira.picture_url), 404, 'not_found');
});

it('reports which clips show it and which flows mention it, and stays in them when it is deleted [I089]', async () => {
  const account = await here.account({ credits: 500 });
  const { body: mira } = await create(account, { image: await flatPicture('red') });
  const flow = async (params: Step['params']) => (await makeFlow(account, [{ type: 'video', params }])).id;
  const named = await flow({ prompt: 'a portrait of @Mira' });
  const listed = await flow({ prompt: 'a pier', elements: ['@mira'] });
  await flow({ prompt: 'mira, write to me@mira.example' });
  const order = { model: 'svc-motion-one', prompt: '@mira on a pier', seconds: 5 };
  await account.made(VIDEOS, order);
  const [entry] = await account.library();

  const { used_by } = (await here.control('GET', `/elements/${mira.id}`)).body;
  expect(used_by).toEqual({ library: [entry?.id], flows: [listed, named] });

  expect((await here.control('DELETE', `/elements/${mira.id}`)).status).toBe(204);
  expectError(await here.control('GET', `/elements/${mira.id}`), 404, 'not_found');
  expectError(await here.control('DELETE', `/elements/${mira.id}`), 404, 'not_found');
  const again = await here.control('POST', `/library/${entry?.id}/render-again`);
  expect(again.body.same).toBe(true);
  expect((await create(account)).status).toBe(201);
});

it('shows the picture of a named element in the clip [R164]', async () => {
  const account = await here.account({ credits: 1000 });
  const seen = [];
  for (const colour of ['red', 'blue']) {
    await create(account, { handle: colour, image: await flatPicture(colour) });
    const order = { model: 'svc-motion-one', prompt: `a portrait of @${colour}`, seconds: 5 };
    await account.made(VIDEOS, order);
    const [entry] = (await account.library()).slice(-1);
    const small = await here.call('GET', String(entry?.thumbnail_url));
    // The corner in which given pictures are shown.
    const corner = { left: 12, top: 12, width: 16, height: 16 };
    const shown = await sharp(small.bytes).extract(corner).toBuffer();
    const { channels } = await sharp(shown).stats();
    seen.push(channels.slice(0, 3).map(({ mean }) => mean > 128));
  }
  expect(seen).toEqual([
    [true, false, false],
    [false, false, true],
  ]);
});
