import { expect, it } from 'vitest';
import { accessibilityFaults, dashboardOpener, visit } from '../support/browser.ts';
import { openReceiver } from '../support/receiver.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();
const TYPE = 'image.generation.succeeded';

it('subscribes the inbox by one click, and shows the event, delivery and inbox message of a sample event [I090 I091]', async () => {
  const { page } = await open(`${emulator.url}/dashboard/webhooks`);
  await page.getByRole('heading', { name: 'No deliveries yet' }).waitFor();
  await page.getByRole('button', { name: 'Inbox' }).click();
  await page.getByRole('button', { name: 'Send events here' }).click();
  await page.getByText('Receives events from').waitFor();
  await page.getByRole('button', { name: 'Send a sample' }).click();
  await page.getByRole('combobox', { name: 'Event' }).getByText(TYPE).waitFor();
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.waitForURL(/\/timeline\/evt_/);
  await page.getByRole('navigation', { name: 'Related records' }).getByRole('link', { name: /^dlv_/ }).click();
  const signed = page.getByRole('region', { name: 'Signed text' });
  expect(await signed.textContent()).toMatch(/^\d{10}\.\{"id":"evt_[0-9a-f]+","type":"image/);
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await page.getByText('Redelivered', { exact: true }).waitFor();
  await visit(page, '/dashboard/webhooks?tab=inbox');
  await expect.poll(() => page.getByRole('row', { name: /verified/ }).count()).toBe(2);
  await page
    .getByRole('row', { name: /verified/ })
    .first()
    .click();
  await page.getByRole('complementary', { name: 'Message' }).getByText('The signature matches').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const { body } = await emulator.control('GET', '/accounts');
  expect(body.data[0].credits).toBe(100_000);
});

it('creates an endpoint, shows its secret once, and shows what was signed in a delivery [I090]', async () => {
  const receiver = await openReceiver();
  const { page } = await open(`${emulator.url}/dashboard/webhooks`);
  await page.getByRole('button', { name: 'New endpoint' }).click();
  await page.getByLabel('URL').fill(`${receiver.origin}/hook`);
  await page.getByRole('button', { name: 'None' }).click();
  await page.getByLabel(TYPE).check();
  await page.getByRole('button', { name: 'Create endpoint' }).click();
  const endpoint = page.getByRole('complementary', { name: 'Endpoint' });
  await endpoint.getByText('Copy the signing secret now.').waitFor();
  const secret = String(await endpoint.getByText(/^whsec_/).textContent());
  await emulator.control('POST', '/events/trigger', { type: TYPE });
  const [sent] = await receiver.received(1);
  await endpoint.getByRole('link', { name: /delivered/ }).click();
  const signed = await page.getByRole('region', { name: 'Signed text' }).textContent();
  expect(signed).toContain(String(sent?.body));
  expect(secret).toMatch(/^whsec_/);

  await page.goto(`${emulator.url}/dashboard/webhooks?tab=endpoints`);
  await page.getByRole('row', { name: /hook.*Local/ }).click();
  await endpoint.getByRole('heading', { name: 'Details' }).waitFor();
  expect(await endpoint.getByText(/^whsec_/).count()).toBe(0);
  await endpoint.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor();
  expect((await emulator.control('GET', '/endpoints')).body.data).toEqual([]);
});

it('shows no signed text of a delivery whose body a fault changed', async () => {
  const receiver = await openReceiver();
  const { page } = await open(`${emulator.url}/dashboard/webhooks`);
  const account = await emulator.account();
  await account.post('/webhooks', { url: receiver.origin, events: [TYPE] });
  await emulator.control('POST', '/faults', { match: { account_id: account.id }, effect: { webhook: 'spelled' } });
  await account.post('/images/generations', { prompt: 'a lamp' });
  await receiver.received(1);
  await page.getByRole('row', { name: new RegExp(TYPE) }).click();
  await page.getByText('The fault spelled changed the body or the signature').waitFor();
  expect(await page.getByRole('region', { name: 'Signed text' }).count()).toBe(0);
});

it('shows what was signed in a delivery that ended while the page read it', async () => {
  const receiver = await openReceiver();
  const account = await emulator.account();
  await account.post('/webhooks', { url: receiver.origin, events: [TYPE] });
  const match = { account_id: account.id };
  const { body: hold } = await emulator.control('POST', '/holds', { match, at: 'delivery' });
  await account.post('/images/generations', { prompt: 'a lamp' });
  const { page } = await open(`${emulator.url}/dashboard/webhooks`);
  let [isRead, release] = [false, () => {}];
  const ended = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/_emulator\/deliveries\/dlv_/, async (route) => {
    const response = await route.fetch();
    isRead = true;
    await ended;
    await route.fulfill({ response });
  });
  await page.getByRole('row', { name: new RegExp(TYPE) }).click();
  await expect.poll(() => isRead).toBe(true);
  await emulator.control('DELETE', `/holds/${hold.id}`);
  await page
    .getByText(/^Delivered: 200/)
    .first()
    .waitFor();
  release();
  await page.getByRole('region', { name: 'Signed text' }).waitFor();
});

it('tests a receiver, and shows its passed checks and what a failed check received', async () => {
  const receiver = await openReceiver();
  const { page } = await open(`${emulator.url}/dashboard/webhooks`);
  await page.getByRole('button', { name: 'Report card' }).click();
  await page.getByLabel('URL of your receiver').fill(receiver.origin);
  await page.getByLabel('Signing secret').fill('whsec_tried');
  await page.getByRole('button', { name: 'Run checks' }).click();
  const checks = page.getByRole('list', { name: 'Checks' });
  // The receiver accepts every delivery, including forged ones.
  await checks.getByText('fail', { exact: true }).first().waitFor();
  await checks.locator('details[open]').getByText('Received', { exact: true }).first().waitFor();
  expect(await checks.getByText('pass', { exact: true }).count()).toBeGreaterThan(3);
  expect((await emulator.control('GET', '/deliveries')).body.data).toEqual([]);
});
