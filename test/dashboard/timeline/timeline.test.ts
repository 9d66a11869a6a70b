import { expect, it } from 'vitest';
import type { OrderView } from '../../../src/control/orders/order-operations.ts';
import { type World, world } from '../../support/world.ts';

const SONG = { prompt: 'a slow song about a lamp [[fail:take=2]]', n: 2, seconds: 30 };

const emulator = await world();

const timeline = async (here: World, id: string): Promise<OrderView> =>
  (await here.control('GET', `/timeline/${id}`)).body;

it('returns the timeline of the same order for the id of each of its parts, and 404 for an unknown id', async () => {
  const account = await emulator.account({ credits: 100 });
  const made = await account.post('/music/generations', SONG);
  await emulator.idle();
  const id = made.headers.get('x-request-id') ?? '';
  const whole = await timeline(emulator, id);
  const refs = [...new Set(whole.steps.flatMap((step) => step.refs))];
  const kinds = new Set(refs.map((ref) => ref.slice(0, ref.indexOf('_'))));
  expect([...kinds].sort()).toEqual(['evt', 'job', 'le', 'lib', 'req']);
  for (const ref of refs) expect([ref, (await timeline(emulator, ref)).id]).toEqual([ref, id]);
  const read = await account.get(`/music/generations/${refs.find((ref) => ref.startsWith('job_'))}`);
  expect((await timeline(emulator, read.headers.get('x-request-id') ?? '')).id).toBe(id);
  const { status, body } = await emulator.control('GET', '/timeline/job_0123456789abcdef01234567');
  expect([status, body.error.code]).toEqual([404, 'not_found']);
});

it('keeps the sequence of timeline entries if the clock of the emulator is moved or frozen', async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 100 });
  await emulator.control('PUT', '/progression', { mode: 'seconds', value: 3600, account_id: account.id });
  const made = await account.post('/music/generations', { ...SONG, prompt: 'a song [[fail]]', n: 1 });
  await emulator.control('POST', '/clock/advance', { seconds: 8 * 86_400 });
  await emulator.control('PUT', '/clock', { frozen: true });
  await account.get(`/music/generations/${made.body.id ?? made.body.data[0].id}`);
  const { steps } = await timeline(emulator, made.headers.get('x-request-id') ?? '');
  const kinds = steps.map(({ kind }) => kind);
  expect(kinds.indexOf('returned')).toBeLessThan(kinds.indexOf('failed'));
  expect(steps.find(({ kind }) => kind === 'clock')?.text).toMatch(/^Clock advanced (?:8 d|7 d 23 h)/);
  expect(steps.every(({ at }) => at >= 0 && at < 120_000)).toBe(true);
});
