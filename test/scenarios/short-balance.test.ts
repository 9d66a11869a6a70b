import { afterAll, expect, it } from 'vitest';
import { waveFile } from '../media/audio/audio-samples.ts';
import { playScenario } from '../support/scenario.ts';
import { CHAT, fileForm } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

const recording = () => fileForm(waveFile(3200), 'hello.wav');

const PAID: [string, string, number, () => unknown][] = [
  ['a chat', '/chat/completions', 3, () => ({ ...CHAT, model: 'svc-rp-plus' })],
  ['a streamed chat', '/chat/completions', 1, () => ({ ...CHAT, stream: true })],
  ['an image', '/images/generations', 10, () => ({ prompt: 'a pier' })],
  ['a stored image', '/images/generations', 12, () => ({ prompt: 'a pier', store: true })],
  ['a video', '/videos/generations', 100, () => ({ prompt: 'a pier' })],
  ['a video job', '/videos/generations', 60, () => ({ prompt: 'a pier', seconds: 5 })],
  ['a video of another engine', '/videos/generations', 36, () => ({ model: 'vid_max5havc', prompt: 'a pier' })],
  ['speech', '/audio/speech', 6, () => ({ input: 'x'.repeat(101), voice: 'orion' })],
  ['a transcription', '/audio/transcriptions', 5, recording],
  ['an upload', '/storage/objects', 2, fileForm],
  ['both takes of a song', '/music/generations', 6, () => ({ style: 'piano', seconds: 30 })],
];

it.each(PAID)(
  'rejects %s (POST %s) for an account that is one credit short of %i, and starts nothing [R121 R235 I010]',
  async (_name, path, price, body) => {
    const says = new RegExp(`\\b${price} credit${price === 1 ? '' : 's'}\\b.*\\b${price - 1}\\b`);
    const { account } = await playScenario(emulator, {
      ...{ as: { credits: price - 1 }, send: `POST ${path}`, body, status: 402 },
      ...{ error: { code: 'insufficient_credits', says }, answer: { error: { type: 'insufficient_credits' } } },
    });
    expect(await account.balance()).toBe(price - 1);
    expect((await account.get('/storage/objects')).body.data).toEqual([]);
    expect([await account.library(), await account.deliveries()]).toEqual([[], []]);
  },
);

afterAll(async () => {
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
