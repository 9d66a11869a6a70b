import { expect, it } from 'vitest';
import { dashboardOpener, visit } from '../support/browser.ts';
import { lookUntil } from '../support/look-until.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const here = await worldForEach();

async function journal(): Promise<{ id: string; method: string; path: string }[]> {
  return (await here.control('GET', '/requests')).body.data;
}

/** Downloads and polls on record. */
async function reads(): Promise<unknown[]> {
  const kinds = await Promise.all(['read', 'poll'].map((kind) => here.control('GET', `/record?kind=${kind}`)));
  return kinds.flatMap(({ body }) => body.data);
}

async function findings(): Promise<{ finding: string; request_ids: string[] }[]> {
  return (await here.control('GET', '/verdict')).body.findings;
}

it('keeps reads of files by the dashboard out of the journal and the verdict, but records URLs that are opened in a tab', async () => {
  const account = await here.account({ credits: 100 });
  const order = { prompt: 'a pier at dawn', response_format: 'url' };
  const { url } = (await account.post('/images/generations', order)).body.data[0];
  const [picture] = await account.library();
  const { page, faults } = await open(`${here.url}/dashboard/gallery/${picture?.id}`, { own: true });
  const shown = page.getByRole('complementary', { name: 'Render' }).locator(`img[src^="/cdn/library/${picture?.id}"]`);
  await shown.waitFor();
  // A thumbnail that loads later would also be read by an expired URL.
  await expect.poll(() => page.evaluate('[...document.images].every(({ complete }) => complete)')).toBe(true);
  await here.advance(8 * 24 * 3600);
  // Like a page that was open for a week, this reads an image, no longer cached, by an expired URL.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  const [late] = await Promise.all([
    page.waitForResponse((response) => response.url() === url),
    page.waitForEvent('console'),
    page.evaluate(`new Image().src = ${JSON.stringify(url)}`),
  ]);
  expect(late.status()).toBe(403);
  expect(faults.splice(0)).toEqual([expect.stringContaining('403')]);
  expect((await journal()).map(({ method }) => method)).toEqual(['POST']);
  expect(await reads()).toEqual([]);
  expect(await findings()).toEqual([]);

  const tab = await page.context().newPage();
  const own = await tab.goto(url);
  expect(own?.status()).toBe(403);
  const id = own?.headers()['x-request-id'];
  expect((await journal()).map((row) => row.id)).toContain(id);
  expect(await findings()).toMatchObject([{ finding: 'used_expired_url', request_ids: [id] }]);
  expect(await reads()).toHaveLength(1);
});

it('records a request from the playground, but not the reads of its job', async () => {
  const { page } = await open(`${here.url}/dashboard/playground/createSong`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await lookUntil(async () => (await here.control('GET', '/jobs?status=succeeded')).body.data.length > 0);
  expect((await journal()).map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /v1/music/generations']);
  expect(await reads()).toEqual([]);

  await visit(page, '/dashboard/playground/listModels');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('region', { name: 'Response', exact: true }).getByText('200', { exact: true }).waitFor();
  expect((await journal()).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/models',
    'POST /v1/music/generations',
  ]);
});
