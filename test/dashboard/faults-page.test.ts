import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { accessibilityFaults, dashboardOpener, untilLive } from '../support/browser.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { world, worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();

it('creates rules by a click and by a form, and shows how often they applied', async () => {
  const account = await emulator.account({ credits: 100 });
  const { page } = await open(`${emulator.url}/dashboard/faults`, { allows: '400' });
  await page.getByRole('heading', { name: 'No fault rules' }).waitFor();
  await page.getByRole('button', { name: 'The next image fails' }).click();
  await page.getByRole('row', { name: /active Fails the work .*0 of 1/ }).waitFor();
  // The rule applies only to jobs: a chat succeeds and does not count.
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
  const image = { prompt: 'a pier' };
  expectError(await account.post('/images/generations', image), 502, 'render_failed');
  await page.getByRole('row', { name: /done Fails the work .* 1 of 1/ }).waitFor();
  await page.getByRole('button', { name: 'New rule' }).click();
  const drawer = page.getByRole('complementary', { name: 'New rule' });
  await drawer.getByLabel('Status', { exact: true }).fill('429');
  await drawer.getByLabel('Code', { exact: true }).fill('too_busy');
  await drawer.getByLabel('Path begins with').fill('/v1/nothing');
  await drawer.getByRole('button', { name: 'Create rule' }).click();
  await drawer.getByRole('alert').getByText('match.path').waitFor();
  await drawer.getByLabel('Path begins with').fill('/v1/chat');
  await drawer.getByLabel('Times').fill('2');
  await drawer.getByRole('button', { name: 'Create rule' }).click();
  const rule = page.getByRole('complementary', { name: 'Fault rule' });
  await rule.getByText('Returns 429 too_busy').waitFor();
  expectError(await account.post('/chat/completions', CHAT), 429, 'too_busy');
  await rule.getByText('1 of 2').waitFor();
  await rule.getByRole('link', { name: 'Affected requests' }).click();
  await page.getByRole('row', { name: /429.*Returned 429, too_busy/ }).waitFor();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -10', 'refund 10']);
});

it('creates a hold by a link in Live, and three fault rules of different effects, and describes each in words [I234 I237]', async () => {
  const { page } = await open(`${emulator.url}/dashboard/live`);
  await page.getByRole('link', { name: 'Hold' }).click();
  const drawer = page.getByRole('complementary', { name: 'New rule' });
  await drawer.getByRole('combobox', { name: 'Effect' }).getByText('Hold until released').waitFor();
  await drawer.getByLabel('Method').fill('POST');
  await drawer.getByRole('button', { name: 'Create rule' }).click();
  await page.getByRole('button', { name: 'Create again' }).waitFor();
  const make = async (kind: string, fill: () => Promise<unknown>) => {
    await page.getByRole('button', { name: 'New rule' }).click();
    await drawer.getByRole('combobox', { name: 'Effect' }).click();
    await page.getByRole('option', { name: kind }).click();
    await fill();
    await drawer.getByRole('button', { name: 'Create rule' }).click();
    await page.getByRole('button', { name: 'Create again' }).waitFor();
  };
  await make('Break a download', () => drawer.getByLabel('Wrong bytes').fill('3'));
  await make('Change when a job ends', () => Promise.resolve());
  await make('Respond after the next response', () => Promise.resolve());
  const { body } = await emulator.control('GET', '/faults');
  expect(body.data.map(({ effect }: { effect: object }) => effect)).toEqual([
    { swap: true },
    { job: 'instant' },
    { cdn: { truncate_at: 1000, flip_bytes: 3 } },
  ]);
  const holds = (await emulator.control('GET', '/holds')).body.data;
  expect(holds).toMatchObject([{ at: 'request', match: { method: 'POST' }, times: 1 }]);
  await page.getByRole('row', { name: /active Holds the request POST 0 of 1/ }).waitFor();
  for (const { text } of body.data) await page.getByRole('row', { name: new RegExp(`active ${text}`) }).waitFor();
  // axe finds no faults in the drawer of a rule and in its forms.
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'New rule' }).click();
  await drawer.getByRole('combobox', { name: 'Effect' }).click();
  await page.getByRole('option', { name: 'Spoil a stream' }).click();
  await page.getByLabel('Leave out [DONE]').check();
  expect(await accessibilityFaults(page)).toEqual([]);
});

it('takes, restores and removes a snapshot', async () => {
  const account = await emulator.account({ credits: 100 });
  const { page } = await open(`${emulator.url}/dashboard/faults?view=snapshots`);
  await page.getByRole('button', { name: 'Save snapshot' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('before');
  await form.getByRole('button', { name: 'Save', exact: true }).click();
  const drawer = page.getByRole('complementary', { name: 'Snapshot' });
  await drawer.getByText('before').waitFor();
  await account.post('/chat/completions', CHAT);
  expect(await account.balance()).toBe(99);
  await drawer.getByRole('button', { name: 'Restore' }).click();
  await form.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('A snapshot was restored').waitFor();
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50']);
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await form.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No snapshots yet' }).waitFor();
  expect((await emulator.control('GET', '/snapshots')).body.data).toEqual([]);
});

it('lists a damaged snapshot, which can only be deleted', async () => {
  const dataDir = emptyFolder();
  const here = await world({ ephemeral: false, dataDir });
  await here.control('POST', '/snapshots', { name: 'whole' });
  writeFileSync(path.join(dataDir, 'snapshots', 'torn.json'), '{"name": "torn"');
  const { page } = await open(`${here.url}/dashboard/faults/torn?view=snapshots`);
  await page.getByRole('row', { name: /whole/ }).waitFor();
  await page.getByRole('row', { name: /torn damaged/ }).waitFor();
  const drawer = page.getByRole('complementary', { name: 'Snapshot' });
  expect(await drawer.getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true);
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('row', { name: /torn/ }).waitFor({ state: 'detached' });
  expect((await here.control('GET', '/snapshots')).body.data).toMatchObject([{ name: 'whole' }]);
});

it('offers to resume a frozen clock after a restore, and to set one that is days behind, but not one that is four minutes behind', async () => {
  const emulator = await world();
  await emulator.control('PUT', '/clock', { frozen: true });
  await emulator.control('POST', '/snapshots', { name: 'frozen' });
  await emulator.control('PUT', '/clock', { frozen: false });
  const { page } = await open(`${emulator.url}/dashboard/money`, { own: true });
  expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0);
  await emulator.control('POST', '/snapshots/frozen/restore');
  await page.getByText(/^The clock of the snapshot is frozen at/).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(/^The clock of the snapshot is frozen/).waitFor({ state: 'detached' });
  expect((await emulator.control('GET', '/clock')).body).toMatchObject({ frozen: false });

  await page.clock.setSystemTime(Date.now() + 4 * 60_000);
  await page.reload();
  await untilLive(page);
  // The restored clock is also behind by the time between the snapshot and the restore.
  await emulator.control('POST', '/snapshots', { name: 'old' });
  await emulator.control('POST', '/snapshots/old/restore');
  await page.getByText('A snapshot was restored').waitFor();
  await page.getByRole('link', { name: /Clock:.*−4 min/ }).waitFor();
  expect(await page.getByText(/behind/).count()).toBe(0);
  await page.getByRole('link', { name: 'Live', exact: true }).click();
  await page.getByText('All clear').waitFor();
  const later = Date.now() + 3 * 86_400_000;
  await page.clock.setSystemTime(later);
  await page.reload();
  await untilLive(page);
  await emulator.control('POST', '/snapshots/old/restore');
  await page.getByText(/^The clock of the snapshot is 3 d.* behind/).waitFor();
  await page.getByRole('button', { name: 'Set to now' }).click();
  await page.getByRole('button', { name: 'Set to now' }).waitFor({ state: 'detached' });
  const { now } = (await emulator.control('GET', '/clock')).body;
  expect(Date.parse(now)).toBeGreaterThanOrEqual(later);
});
