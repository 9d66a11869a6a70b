import { expect, it } from 'vitest';
import { dashboardOpener, visit } from '../support/browser.ts';
import { CHAT } from '../support/wire.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();

it('creates an account and a key that is shown once, and revokes the key', async () => {
  const { page } = await open(`${emulator.url}/dashboard/people`);
  await page.getByRole('button', { name: 'New account' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Ann <b>&</b> مريم');
  await form.getByLabel('Credits').fill('20');
  await form.getByRole('button', { name: 'Create account' }).click();
  const drawer = page.getByRole('complementary', { name: 'Account' });
  await drawer.getByText('This key is shown once').waitFor();
  const shown = drawer.getByRole('region', { name: 'The new key' });
  const key = String(await shown.textContent());
  const headers = { authorization: `Bearer ${key}` };
  const chat = () => emulator.call('POST', '/v1/chat/completions', CHAT, headers);
  expect((await chat()).status).toBe(200);
  await page.getByRole('row', { name: /Ann <b>&<\/b> مريم Owner 19/ }).waitFor();
  await drawer.getByRole('button', { name: 'Revoke' }).click();
  await form.getByRole('button', { name: 'Revoke' }).click();
  await drawer.getByText('revoked').waitFor();
  expect((await chat()).status).toBe(401);
  await page.reload();
  await drawer.getByText('revoked').waitFor();
  expect(await page.getByText(key).count()).toBe(0);
});

it('creates an account in a workspace, changes its role and name and the plan of the workspace, and highlights the key whose id is in the address', async () => {
  const owner = await emulator.account();
  const { page } = await open(`${emulator.url}/dashboard/people/${owner.workspaceId}`, { allows: '400' });
  const workspace = page.getByRole('complementary', { name: 'Workspace' });
  await workspace.getByRole('button', { name: 'Add a person' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('Ben');
  await form.getByRole('button', { name: 'Create account' }).click();
  const drawer = page.getByRole('complementary', { name: 'Account' });
  await drawer.getByText('This key is shown once').waitFor();
  await drawer.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: /Admin/ }).click();
  await page.getByRole('row', { name: /Ben Admin/ }).waitFor();
  await drawer.getByRole('button', { name: 'Rename' }).click();
  await form.getByLabel('Name').fill('Benedict');
  await form.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('row', { name: /Benedict Admin/ }).waitFor();
  await drawer.getByRole('combobox', { name: 'Workspace plan' }).click();
  await page.getByRole('option', { name: /Creator/ }).click();
  await page.getByRole('row', { name: /Creator Benedict/ }).waitFor();
  const { body: accounts } = await emulator.control('GET', `/accounts/${owner.id}`);
  expect(accounts).toMatchObject({ plan: 'creator', role: 'owner', credits: 50 });
  const [key] = (await emulator.control('GET', `/accounts/${owner.id}`)).body.keys;
  await visit(page, `/dashboard/people/${key.id}`);
  await drawer
    .locator('[data-marked]')
    .getByRole('link', { name: key.id.slice(0, 8) })
    .waitFor();
  await visit(page, `/dashboard/people/${owner.id}`);
  await drawer.getByRole('button', { name: 'Revoke' }).waitFor();
  await drawer.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: /Member/ }).click();
  await page.getByRole('alert').getByText('is the only owner of').waitFor();
});
