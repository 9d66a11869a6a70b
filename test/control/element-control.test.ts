import sharp from 'sharp';
import { expect, it } from 'vitest';
import { waveFile } from '../media/audio/audio-samples.ts';
import { flatPicture } from '../support/flat-picture.ts';
import { dataUrl } from '../support/given-files.ts';
import { expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const here = await world();
const VIDEOS = '/videos/generations';

function create(account: TestAccount, more: object = {}) {
  const order = { account_id: account.id, handle: 'mira', kind: 'character', name: 'Mira' };
  return here.control('POST', '/elements', { ...order, ...more });
}

const silence = () => dataUrl('audio/wav', waveFile(3200));

it('stores and serves the image and voice of a character [I089]', async () => {
  const account = await here.account();
  const { body } = await create(account, { image: await flatPicture('red'), voice: silence() });
  const picture = await here.call('GET', body.picture_url);
  const voice = await here.call('GET', body.voice_url);
  expect(picture.headers.get('content-type')).toBe('image/png');
  expect(voice.headers.get('content-type')).toBe('audio/wav');
  expect(voice.bytes.toString('base64')).toBe(silence().split(',')[1]);
  const bare = body.picture_url.split('?')[0];
  expectError(await here.call('GET', bare), 403, 'invalid_signature');
});

it.each([
  ['a character whose voice is not a WAV file', { voice: 'data:audio/wav;base64,AAAA' }, 'voice'],
  ['a character whose voice is an image', { voice: 'data:image/png;base64,AAAA' }, 'voice'],
  ['a prop with a voice', { voice: silence(), kind: 'prop' }, 'voice'],
  ['a character whose image is a sound', { image: silence() }, 'image'],
])('rejects %s, and creates no element [I089]', async (_, fields, param) => {
  const account = await here.account();
  expectError(await create(account, fields), 400, 'invalid_request', param);
  expect((await here.control('GET', `/elements?account_id=${account.id}`)).body.data).toEqual([]);
});

it('rejects a handle of another element of the account, in any letter case, and names that element [I089]', async () => {
  const account = await here.account();
  const { body: mira } = await create(account);
  const { message, param } = expectError(await create(account, { handle: '@MIRA' }), 400, 'invalid_request');
  expect([param, message.includes(mira.id)]).toEqual(['handle', true]);
  expect((await create(await here.account())).status).toBe(201);
});

it('deletes an element, and keeps the renders that show it [I089]', async () => {
  const account = await here.account({ credits: 500 });
  const { body: mira } = await create(account, { image: await flatPicture('red') });
  await account.made(VIDEOS, { model: 'svc-motion-one', prompt: '@mira on a pier', seconds: 5 });
  const [entry] = await account.library();
  expect((await here.control('DELETE', `/elements/${mira.id}`)).status).toBe(204);
  expectError(await here.control('DELETE', `/elements/${mira.id}`), 404, 'not_found');
  expect((await here.control('GET', `/elements?account_id=${account.id}`)).body.data).toEqual([]);
  expect((await here.call('GET', String(entry?.url))).status).toBe(200);
  expect((await create(account)).status).toBe(201);
});

it('shows the image of a mentioned element in the video [R164]', async () => {
  const account = await here.account({ credits: 1000 });
  const seen = [];
  for (const colour of ['red', 'blue']) {
    await create(account, { handle: colour, image: await flatPicture(colour) });
    const order = { model: 'svc-motion-one', prompt: `a portrait of @${colour}`, seconds: 5 };
    await account.made(VIDEOS, order);
    const [entry] = (await account.library()).slice(-1);
    const small = await here.call('GET', String(entry?.thumbnail_url));
    // The corner of the thumbnail that shows the given picture.
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
