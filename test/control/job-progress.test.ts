import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();
const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };

async function order(progression: { mode: string; value?: number }) {
  const account = await emulator.account({ credits: 100 });
  const own = { ...progression, account_id: account.id };
  await emulator.control('PUT', '/progression', own);
  const { body } = await account.post('/music/generations', SONG);
  const { id } = body.data[0];
  const look = async () => (await emulator.control('GET', `/jobs/${id}`)).body;
  return { account, id, look };
}

it('says when a job is due that moves by the clock, and nothing of one that is final', async () => {
  const { account, id, look } = await order({ mode: 'seconds', value: 3600 });
  const job = await look();
  expect(job.progress).toEqual({ mode: 'seconds', due: job.created + 3600, share: null });
  expect((await account.jobs())[0]).toEqual(job);
  await emulator.control('POST', `/jobs/${id}/finish`, { outcome: 'failed' });
  expect(await look()).not.toHaveProperty('progress');
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'refund 3']);
});

it('says what share of its polls a job has seen, and that one waits to be ended by hand', async () => {
  const polled = await order({ mode: 'polls', value: 4 });
  await polled.account.get(`/music/generations/${polled.id}`);
  expect((await polled.look()).progress).toEqual({ mode: 'polls', due: null, share: 0.25 });
  expect((await polled.look()).progress.share).toBe(0.25);
  const held = await order({ mode: 'manual' });
  expect((await held.look()).progress).toEqual({ mode: 'manual', due: null, share: null });
  expectError(await emulator.control('GET', '/jobs/job_none'), 404, 'not_found');
});
