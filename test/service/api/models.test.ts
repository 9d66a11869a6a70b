import { expect, it } from 'vitest';
import { waveFile } from '../../media/audio/audio-samples.ts';
import { expectScenario } from '../../support/scenario.ts';
import { CHAT, fileForm } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { ENGINES, OWN } from './videos/engine-table.ts';

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
])('lists the model %s as %s with the price %s [%s]', async (id, kind, pricing) => {
  const { data } = await models();
  expect(data.find((model: { id: string }) => model.id === id)).toEqual({
    id,
    kind,
    pricing: expect.stringMatching(pricing),
  });
});

it('lists models without a key, and ignores any key [R179 R120 R131]', async () => {
  const list = await models();
  const account = await emulator.account();
  for (const authorization of ['Bearer svc_sk_nobody', 'Basic x', '', `Bearer ${account.key}`]) {
    expect(await models({ authorization })).toEqual(list);
  }
  expect(await account.ledger()).toEqual(['grant 50']);
});

interface Listed {
  id: string;
  kind: string;
  pricing: string;
}

async function listed(): Promise<Listed[]> {
  return (await models()).data.filter(({ kind }: Listed) => kind === 'video');
}

it("lists 16 engines: the service's own, and 15 with opaque, permanent ids [R064 R065 I056]", async () => {
  const ids = (await listed()).map(({ id }) => id);
  expect(ids).toEqual([OWN, ...Object.values(ENGINES).map(({ model }) => model)]);
  for (const id of ids.slice(1)) expect(id).toMatch(/^vid_[a-z2-7]{8}$/);
});

it.each([
  [OWN, '60 credits per clip, 5-10 s, 768p; as a synchronous 720p clip 100 credits for 5s, 180 credits for 10s'],
  [ENGINES.A.model, '62 credits per second, 4-30 s, up to 720p (engine A)'],
  [ENGINES.B.model, '106 credits per second, 4, 6 or 8 s, 720p or 1080p (engine B)'],
  [ENGINES.F.model, '35 credits per second, 5-15 s, 2k, 5 credits per reference image (engine F)'],
  [ENGINES.J.model, '24 credits per second, 4-15 s, 480p or 720p (engine J)'],
  [ENGINES.L.model, '37 credits per second, 1-15 s, up to 1080p, 5 credits per starting image (engine L)'],
])('describes the engine %s: %s [R108 I119]', async (model, pricing) => {
  expect((await listed()).find(({ id }) => id === model)).toEqual({ id: model, kind: 'video', pricing });
});

it('returns the video engines with their terms in GET /_emulator/models [I120]', async () => {
  const { body } = await emulator.control('GET', '/models');
  expect(body.object).toBe('list');
  const engines = body.data.flatMap((model: { engine?: Listed }) => model.engine ?? []);
  expect(engines.map(({ id }: Listed) => id)).toEqual((await listed()).map(({ id }) => id));
  expect(engines[1]).toMatchObject({
    id: ENGINES.A.model,
    label: 'A',
    family: 1,
    seconds: { min: 4, max: 30 },
    resolutions: ['480p', '720p'],
    audio: 'native',
    images: { start: true, references: 6, last: true },
    rates: [{ creditsPerSecond: 62 }],
  });
});

const HEARD = fileForm(waveFile(32_000), 'voice.wav', { model: 'whisper-1' });

it.each<[path: string, rules: string, body: unknown, known: string]>([
  ['/chat/completions', 'I012', { ...CHAT, model: 'gpt-4o' }, 'svc-rp-plus, svc-rp-mini'],
  ['/images/generations', 'R151', { prompt: 'x', model: 'svc-image-two' }, 'svc-image-one'],
  ['/videos/generations', 'I012', { prompt: 'x', model: 'vid_22222222' }, 'svc-motion-one'],
  ['/audio/speech', 'R169', { input: 'x', voice: 'aria', model: 'svc-voice-two' }, 'svc-voice-one'],
  ['/audio/transcriptions', 'R174', HEARD, 'svc-scribe-one'],
  ['/music/generations', 'I012', { prompt: 'x', model: 'svc-music-two' }, 'svc-music-one'],
])('rejects an unknown model for POST %s, and charges nothing [%s]', (path, _rules, body, says) =>
  expectScenario(emulator, {
    ...{ send: `POST ${path}`, body, status: 404 },
    error: { code: 'model_not_found', field: 'model', says },
  }),
);
