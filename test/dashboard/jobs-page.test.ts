import { expect, it } from 'vitest';
import { dashboardOpener, visit } from '../support/browser.ts';
import { expectError } from '../support/wire.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();
const SONG = { style: 'slow piano', instrumental: true, seconds: 30, n: 1 };
const DAY = 86_400;

it('ends the job of a song as succeeded, and that of a waiting speech call as failed, which refunds it [R005]', async () => {
  const account = await emulator.account({ credits: 100 });
  const { page } = await open(`${emulator.url}/dashboard/jobs`);
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Manually' }).click();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('manually', { exact: true }).waitFor();
  await account.post('/music/generations', { ...SONG, title: 'A song' });
  const spoken = account.post('/audio/speech', { input: 'Hello', voice: 'aria' });
  await page.getByRole('row', { name: /Speech Hello waiting for you/ }).click();
  const step = page.getByRole('region', { name: 'Selected step' });
  const steps = page.getByRole('list', { name: 'Steps' });
  await step.getByRole('button', { name: 'Fail', exact: true }).click();
  await form.getByLabel('Error code').fill('out_of_memory');
  await form.getByRole('button', { name: 'Fail job' }).click();
  await steps.getByText(/failed: out_of_memory/).waitFor();
  // A toast is a dialog too.
  await page.getByRole('dialog', { name: 'Fail this job' }).waitFor({ state: 'detached' });
  expectError(await spoken, 502, 'out_of_memory');
  await page.goBack();
  await page.getByRole('row', { name: /Song A song waiting for you/ }).click();
  await step.getByRole('button', { name: 'Finish' }).click();
  await steps.filter({ hasText: /succeeded/ }).waitFor();
  await visit(page, '/dashboard/jobs');
  await page.getByRole('button', { name: 'Failed' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('row', { name: /Speech Hello.*3 refunded/ }).waitFor();
  expect(await account.ledger()).toEqual([...['grant 50', 'top_up 50', 'charge -3', 'charge -3', 'refund 3']]);
  expect(await account.events()).toEqual(['music.generation.succeeded']);
});

it('moves, freezes and sets the clock, which ends jobs', async () => {
  const account = await emulator.account({ credits: 100 });
  await emulator.control('PUT', '/progression', { mode: 'seconds', value: 2 * 3600 });
  await account.post('/music/generations', SONG);
  const { page } = await open(`${emulator.url}/dashboard/jobs`);
  await page.getByRole('row', { name: /due in [12] h/ }).waitFor();
  const tools = page.getByRole('group', { name: 'Move the clock' });
  await tools.getByRole('button', { name: 'Freeze' }).click();
  await page.getByText('frozen', { exact: true }).first().waitFor();
  const before = Date.parse((await emulator.control('GET', '/clock')).body.now);
  await tools.getByRole('button', { name: '+1 day' }).click();
  await page.getByRole('columnheader', { name: 'Outcome' }).waitFor();
  await page.getByRole('row', { name: /succeeded Song.* after 2 h/ }).waitFor();
  await tools.getByRole('button', { name: '+8 days' }).click();
  await page.getByRole('link', { name: /Clock:.*frozen \+9 d/ }).waitFor();
  const after = Date.parse((await emulator.control('GET', '/clock')).body.now);
  expect(after - before).toBe(9 * DAY * 1000);
  await tools.getByRole('button', { name: 'Set', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Date and time').fill('2036-02-03T04:05:06');
  await form.getByRole('button', { name: 'Set the clock' }).click();
  await page.getByText('3 Feb 2036, 04:05:06').waitFor();
  await tools.getByRole('button', { name: 'Back to now' }).click();
  await tools.getByRole('button', { name: 'Freeze' }).waitFor();
  expect((await emulator.control('GET', '/clock')).body.frozen).toBe(false);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3']);
});

it('rounds the durations of jobs to one unit, and the duration of a progression to at most two units', async () => {
  const account = await emulator.account({ credits: 100 });
  await emulator.control('PUT', '/clock', { frozen: true });
  await account.made('/music/generations', { ...SONG, title: 'At once' });
  await emulator.idle();
  await emulator.control('PUT', '/progression', { mode: 'seconds', value: 7 * DAY - 60 });
  await account.post('/music/generations', { ...SONG, title: 'Late' });
  const { page } = await open(`${emulator.url}/dashboard/jobs`);
  await page.getByRole('row', { name: /At once in under 1 s/ }).waitFor();
  await page.getByRole('row', { name: /Late.*due in 7 d/ }).waitFor();
  await page.getByText('after 7 d 0 h', { exact: true }).waitFor();
  await emulator.control('PUT', '/progression', { mode: 'seconds', value: 0.5 });
  await page.getByText('after 500 ms', { exact: true }).waitFor();
  await emulator.control('PUT', '/progression', { mode: 'seconds', value: 90 });
  await page.getByText('after 1 min 30 s', { exact: true }).waitFor();
});
