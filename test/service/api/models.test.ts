import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

const emulator = await world();

async function models(headers: Record<string, string> = {}) {
  return (await emulator.call('GET', '/v1/models', undefined, headers)).body;
}

it('lists exactly id, kind and pricing of each model [R031 R032 I001]', async () => {
  const list = await models();
  expect(Object.keys(list)).toEqual(['object', 'data']);
  expect(list.object).toBe('list');
  for (const model of list.data) {
    expect(model).toEqual({
      id: expect.stringMatching(/^[\w-]+$/),
      kind: expect.stringMatching(/^(chat|image|video|speech|transcription|music)$/),
      pricing: expect.stringMatching(/\d.* credits?/),
    });
  }
  expect(new Set(list.data.map(({ id }: { id: string }) => id)).size).toBe(list.data.length);
});

it.each([
  ['svc-rp-plus', 'chat', /3 credits.*2 (?:more )?.*image/, 'R060 R033 R122 R124'],
  ['svc-rp-mini', 'chat', /1 credit.*2 (?:more )?.*image/, 'R060 R033 R123 R124'],
  ['svc-image-one', 'image', /10 credits/, 'R061 R033 R125'],
  ['svc-motion-one', 'video', /60 credits.*100 credits.*180 credits/, 'R062 R034'],
  ['svc-voice-one', 'speech', /3 credits.*100 characters/, 'R063 R127'],
  ['svc-scribe-one', 'transcription', /5 credits/, 'R063 R128'],
  ['svc-music-one', 'music', /3 credits.*30/, 'R063 R132'],
])('lists %s as %s with the price %s [%s]', async (id, kind, pricing) => {
  const { data } = await models();
  expect(data.find((model: { id: string }) => model.id === id)).toEqual({
    id,
    kind,
    pricing: expect.stringMatching(pricing),
  });
});

it('needs no key, and ignores whatever key it is given [R179 R120 R131]', async () => {
  const list = await models();
  const account = await emulator.account();
  for (const authorization of ['Bearer svc_sk_nobody', 'Basic x', '', `Bearer ${account.key}`]) {
    expect(await models({ authorization })).toEqual(list);
  }
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('is the same in every installation [I056]', async () => {
  const other = await world({ seed: 7 });
  expect((await other.call('GET', '/v1/models')).body).toEqual(await models());
});
