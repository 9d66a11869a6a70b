import { expect, it } from 'vitest';
import type { OrderView } from '../../../src/control/orders/order-operations.ts';
import { subscribe } from '../../support/receiver.ts';
import { world } from '../../support/world.ts';

interface TimelineAnswer extends Pick<OrderView, 'steps'> {
  id: string;
  tone: string;
  text: string;
  chosen: string;
}

const SONG = { prompt: 'a slow song about a lamp [[fail:take=2]]', n: 2, seconds: 30 };

const emulator = await world();

async function orderedSong() {
  const account = await emulator.account({ credits: 100 });
  const made = await account.post('/music/generations', SONG);
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  return { account, id: made.headers.get('x-request-id') ?? '' };
}

const timeline = async (id: string) => (await emulator.control('GET', `/timeline/${id}`)).body as TimelineAnswer;
const song = await orderedSong();

it('returns the timeline of the same order for the id of each of its parts, and 404 for an unknown id', async () => {
  const { id, account } = song;
  const whole = await timeline(id);
  const refs = [...new Set(whole.steps.flatMap((step) => step.refs))];
  const kinds = new Set(refs.map((ref) => ref.slice(0, ref.indexOf('_'))));
  expect([...kinds].sort()).toEqual(['evt', 'job', 'le', 'lib', 'req']);
  for (const ref of refs) expect([ref, (await timeline(ref)).id]).toEqual([ref, id]);
  const read = await account.get(`/music/generations/${refs.find((ref) => ref.startsWith('job_'))}`);
  expect((await timeline(read.headers.get('x-request-id') ?? '')).id).toBe(id);
  const { status, body } = await emulator.control('GET', '/timeline/job_0123456789abcdef01234567');
  expect([status, body.error.code]).toEqual([404, 'not_found']);
});

it("keeps the order of timeline entries if the emulator's clock is moved or frozen", async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 100 });
  await emulator.control('PUT', '/progression', { mode: 'seconds', value: 3600, account_id: account.id });
  const made = await account.post('/music/generations', { ...SONG, prompt: 'a song [[fail]]', n: 1 });
  await emulator.control('POST', '/clock/advance', { seconds: 8 * 86_400 });
  await emulator.control('PUT', '/clock', { frozen: true });
  await account.get(`/music/generations/${made.body.id ?? made.body.data[0].id}`);
  const timeline = (await emulator.control('GET', `/timeline/${made.headers.get('x-request-id')}`))
    .body as TimelineAnswer;
  const kinds = timeline.steps.map(({ kind }) => kind);
  expect(kinds.indexOf('returned')).toBeLessThan(kinds.indexOf('failed'));
  expect(timeline.steps.find(({ kind }) => kind === 'clock')?.text).toMatch(/^Clock advanced (?:8 d|7 d 23 h)/);
  expect(timeline.steps.every(({ at }) => at >= 0 && at < 120_000)).toBe(true);
});

it('shows that a delivery failed, and that its redelivery succeeded', async () => {
  const account = await emulator.account({ credits: 100 });
  let status = 500;
  await subscribe(account, ['image.generation.succeeded'], () => ({ status }));
  const made = await account.post('/images/generations', { prompt: 'a pier' });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const id = made.headers.get('x-request-id');
  const refused = (await emulator.control('GET', `/timeline/${id}`)).body as TimelineAnswer;
  expect([refused.tone, refused.text]).toEqual([
    'bad',
    expect.stringMatching(/^Not delivered: 500 in .*image.generation.succeeded/),
  ]);
  status = 200;
  await emulator.control('POST', `/deliveries/${refused.chosen}/redeliver`);
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const healed = (await emulator.control('GET', `/timeline/${id}`)).body as TimelineAnswer;
  expect([healed.tone, healed.text]).toEqual([
    'good',
    expect.stringMatching(/^Redelivered: 200 in .*image.generation.succeeded/),
  ]);
});
