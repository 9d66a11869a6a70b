import { expect, it } from 'vitest';
import { OWN_RENDERS, world } from '../../../support/world.ts';

const emulator = await world({}, OWN_RENDERS);

it('ends all jobs of one due time at that time, whichever is still being rendered when the clock comes to it [I138]', async () => {
  await emulator.control('PUT', '/clock', { frozen: true });
  const account = await emulator.account({ plan: 'studio', credits: 500 });
  const progression = { mode: 'seconds', value: 20, account_id: account.id };
  await emulator.control('PUT', '/progression', progression);
  // The second order of each song finds its file and is done in no time, while the clock stands for the first.
  const prompts = ['a lighthouse', 'a barn', 'a lighthouse', 'a barn', 'a lighthouse', 'a barn'];
  for (const prompt of prompts) {
    await account.post('/music/generations', { prompt, seconds: 30 });
  }
  await emulator.advance(45);
  const jobs = await account.jobs();
  expect(jobs.map(({ status, created, completed }) => `${status} ${completed - created}`)).toEqual(
    Array.from({ length: 12 }, () => 'succeeded 20'),
  );
  expect(await account.ledger()).toHaveLength(14);
});
