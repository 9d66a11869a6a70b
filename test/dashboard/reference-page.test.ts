import { expect, it } from 'vitest';
import { accessibilityFaults, startBrowser, untilLive } from '../support/browser.ts';
import { world } from '../support/world.ts';

const open = await startBrowser();
const emulator = await world();
const ADDRESS = `${emulator.url}/dashboard/reference`;

it('draws the service, tries an operation with the local key, and draws the control surface', async () => {
  const { page } = await open(ADDRESS);
  await untilLive(page);
  const operation = page.locator('.opblock', { hasText: '/v1/account' }).first();
  await operation.getByRole('button', { name: /GET \/v1\/account/ }).click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.getByRole('button', { name: 'Execute' }).click();
  await operation.locator('.live-responses-table').getByText('"credits": 100000').waitFor();
  const { body } = await emulator.control('GET', '/requests?path=/v1/account');
  expect(body.data).toMatchObject([{ method: 'GET', status: 200 }]);

  await page.getByRole('button', { name: 'Control surface' }).click();
  await page.getByText('/_emulator/clock/advance').waitFor();
  expect(page.url()).toContain('of=control');
  expect(await page.locator('.opblock', { hasText: '/v1/' }).count()).toBe(0);
});

it.each(['light', 'dark'] as const)('stands in the %s theme of the page', async (theme) => {
  const { page } = await open(ADDRESS, { theme });
  await page.getByText('/v1/chat/completions').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  const ink = await page.evaluate("getComputedStyle(document.querySelector('.opblock-summary-path')).color");
  expect(ink).toBe(theme === 'light' ? 'rgb(27, 28, 32)' : 'rgb(233, 234, 236)');
});
