import { waveFile } from '../../media/audio/audio-samples.ts';
import { fileForm } from '../../support/wire.ts';
import type { World } from '../../support/world.ts';
import { ExampleRecorder } from './example-recorder.ts';

/** Calls every operation of the service, and most control operations, on a seeded emulator with a frozen clock. */
export async function recordExamples(world: World) {
  const recorder = new ExampleRecorder(world);
  await recorder.call('setClock', { body: { now: '2035-01-05T09:00:00.000Z', frozen: true } });
  const order = { name: 'sells a song', plan: 'creator', credits: 200 };
  const { id = '', api_key = '' } = await recorder.call('createAccount', { body: order });
  recorder.key = api_key;
  const account = { account_id: id };
  await tryService(recorder, account);
  await recorder.call('showAccount', { path: { id: account.account_id } });
  await recorder.call('listUsage', { path: { id: account.account_id, limit: '3' } });
  await recorder.call('topUpCredits', { path: { id: account.account_id }, body: { amount: 100 } });
  await recorder.call('addKey', { path: { id: account.account_id } });
  await recorder.call('changeAccount', { path: { id: account.account_id }, body: { plan: 'studio' } });
  await tryControl(recorder, account);
  return recorder.examples;
}

async function tryService(recorder: ExampleRecorder, account: Record<string, string>) {
  await recorder.call('listModels');
  const endpoint = { url: 'http://127.0.0.1:9/webhooks', events: ['music.generation.succeeded'] };
  const { id } = await recorder.call('createWebhook', { body: endpoint });
  await recorder.call('listWebhooks');
  await recorder.call('createChatCompletion', {
    body: { model: 'svc-rp-mini', messages: [{ role: 'user', content: 'Is anybody there?' }] },
  });
  const picture = { prompt: 'a lighthouse at dusk', response_format: 'url' };
  await recorder.call('createImage', { body: picture });
  await recorder.call('createSpeech', { body: { input: 'Mind the gap.', voice: 'aria' } });
  await recorder.call('createTranscription', { body: fileForm(waveFile(1600, { sampleRate: 8000 }), 'sound.wav') });
  await tryJobs(recorder, account);
  const object = await recorder.call('uploadObject', {
    body: fileForm('Hi.', 'notes.txt'),
  });
  await recorder.call('listObjects');
  await recorder.call('deleteObject', { path: { id: object.id ?? '' } });
  await recorder.call('sampleWebhooks', { path: { event: 'image.generation.succeeded' } });
  await recorder.call('deleteWebhook', { path: { id: id ?? '' } });
  await recorder.call('getAccount');
}

/** Jobs end only on request, so that each is read in the same state in every run. */
async function tryJobs(recorder: ExampleRecorder, account: Record<string, string>) {
  await recorder.call('setProgression', { body: { mode: 'manual', ...account } });
  await recorder.call('getProgression', { path: account });
  const song = { prompt: 'a waltz for two', seconds: 30, n: 1, seed: 7 };
  const { data } = await recorder.call<{ data: { id: string }[] }>('createSong', { body: song });
  const take = data[0]?.id ?? '';
  await recorder.call('finishJob', { path: { id: take }, body: { outcome: 'succeeded' } });
  await recorder.call('getSong', { path: { id: take } });
  const clip = { model: 'svc-motion-one', prompt: 'waves at night', seconds: 5, aspect: '16:9' };
  const video = await recorder.call('createVideo', { body: clip });
  await recorder.call('getVideo', { path: { id: video.id ?? '' } });
  const failure = { outcome: 'failed', code: 'render_failed' };
  await recorder.call('finishJob', { path: { id: video.id ?? '' }, body: failure });
  await recorder.call('listJobs', { path: { ...account, limit: '1' } });
}

async function tryControl(recorder: ExampleRecorder, account: Record<string, string>) {
  const rule = {
    match: { ...account, path: '/v1/music' },
    effect: { status: 429, retry_after: 2 },
  };
  const fault = await recorder.call('createFault', { body: rule });
  await recorder.call('listFaults', { path: account });
  await recorder.call('deleteFault', { path: { id: fault.id ?? '' } });
  await recorder.call('createElement', {
    body: { ...account, handle: 'mira', kind: 'character', name: 'Mira' },
  });
  await recorder.call('listElements', { path: account });
  await recorder.call('listEvents', { path: { ...account, limit: '1' } });
  await recorder.call('triggerEvent', { body: { type: 'image.generation.failed' } });
  await recorder.call('advanceClock', { body: { seconds: 60 } });
  await recorder.call('getClock');
  await recorder.call('waitFor', { path: { for: 'idle', ...account } });
  await recorder.call('getInvariants');
  await recorder.call('getHealth');
  await recorder.call('judgeClient', { path: account });
}
