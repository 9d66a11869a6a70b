import { expect, it } from 'vitest';
import { accessibilityFaults, dashboardOpener, delayAccounts, visit } from '../support/browser.ts';
import { world, worldForEach } from '../support/world.ts';

const open = await dashboardOpener();

const emulator = await worldForEach();

/** An emulator with a picture, spoken words and a song. */
const shelf = await world();
const owner = await shelf.account({ credits: 1000 });
await owner.post('/images/generations', { prompt: '<b>a pier</b> at dawn' });
await owner.post('/audio/speech', { input: 'Meet me at the pier.', voice: 'aria' });
await owner.made('/music/generations', { style: 'slow piano', instrumental: true, seconds: 30, n: 1 });

it('marks images whose URLs are rejected as expired, and shows the images after a reload of the page', async () => {
  // This test must run first, because pages of other tests would read thumbnails and use up the rule.
  const all = (await owner.library()).length;
  const body = { match: { path: '/cdn/thumbnails' }, effect: { cdn: { expired: true } }, times: all };
  await shelf.control('POST', '/faults', body);
  const { page } = await open(`${shelf.url}/dashboard/gallery`, { allows: '403' });
  const marks = page.getByRole('region', { name: 'Renders' }).getByRole('img', { name: 'URL expired' });
  await expect.poll(() => marks.count()).toBe(all);
  expect(await page.locator('img.shot').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.reload();
  const pictures = '[...document.querySelectorAll("img.shot")].filter(({ naturalWidth }) => naturalWidth > 0).length';
  await expect.poll(() => page.evaluate(pictures)).toBe(all);
  expect(await marks.count()).toBe(0);
});

it('shows new renders as thumbnails, finds them, and opens one by keyboard', async () => {
  const { page } = await open(`${shelf.url}/dashboard/gallery`);
  const renders = page.getByRole('region', { name: 'Renders' }).getByRole('button');
  await renders.filter({ hasText: 'at dawn' }).waitFor();
  expect(await renders.count()).toBe(3);
  await owner.post('/images/generations', { prompt: 'a lantern' });
  await renders.filter({ hasText: 'a lantern' }).waitFor();
  await page.getByRole('region', { name: 'Renders' }).focus();
  await page.keyboard.press('Tab');
  await renders.first().and(page.locator(':focus')).waitFor();
  await renders.last().focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('complementary', { name: 'Render' });
  await drawer.getByRole('heading', { name: 'Image: <b>a pier</b> at dawn' }).waitFor();
  await drawer.getByRole('img', { name: '<b>a pier</b> at dawn' }).waitFor();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('pier');
  await expect.poll(() => renders.count()).toBe(2);
  await page.getByRole('button', { name: 'Speech', exact: true }).click();
  await expect.poll(() => renders.count()).toBe(1);
  expect(new URL(page.url()).search).toMatch(/q=pier&kind=speech$/);
});

it('plays one take of a song, and links it to the other', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.made('/music/generations', { style: 'slow piano', instrumental: true, seconds: 30, n: 2 });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const [first, second] = (await account.library()).map(({ id }) => id);
  const { page } = await open(`${emulator.url}/dashboard/gallery/${first}`);
  const drawer = page.getByRole('complementary', { name: 'Render' });
  await drawer.getByRole('heading', { name: 'From the same order' }).waitFor();
  await drawer.getByRole('slider', { name: /Position/ }).waitFor();
  await drawer.locator('.wave canvas').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await drawer.getByRole('button', { name: 'Play' }).click();
  await drawer.getByRole('button', { name: 'Pause' }).waitFor();
  const linkTo = (id: string) => drawer.getByRole('link').and(page.getByTitle(id));
  await linkTo(String(second)).click();
  await page.waitForURL(`**/gallery/${second}`);
  await linkTo(String(first)).waitFor();
});

it('loads older renders while scrolling down', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.post('/audio/speech', { input: 'The very first.', voice: 'aria' });
  for (let made = 0; made < 100; made += 50) {
    const some = Array.from({ length: 50 }, () => account.post('/audio/speech', { input: 'Ahoy.', voice: 'aria' }));
    await Promise.all(some);
  }
  const { page } = await open(`${emulator.url}/dashboard/gallery`);
  const tiles = page.getByRole('region', { name: 'Renders' }).getByRole('button', { name: /Speech/ });
  await expect.poll(() => tiles.count()).toBe(100);
  await tiles.last().scrollIntoViewIfNeeded();
  await tiles.filter({ hasText: 'The very first.' }).waitFor();
});

it('uploads chosen files for the selected account, and deletes one of them', async () => {
  const { page } = await open(`${emulator.url}/dashboard/gallery?tab=storage`);
  await page.getByRole('heading', { name: 'No stored files yet' }).waitFor();
  const buffer = Buffer.from('Ahoy.');
  const file = (name: string) => ({ name, mimeType: 'text/plain', buffer });
  await expect.poll(() => page.getByRole('button', { name: 'Upload' }).isEnabled()).toBe(true);
  await page.getByLabel('Files to store').setInputFiles([file('first.txt'), file('second.txt')]);
  await page.getByRole('row', { name: /first\.txt/ }).waitFor();
  await page.getByRole('row', { name: /second\.txt/ }).click();
  const drawer = page.getByRole('complementary', { name: 'Storage object' });
  await drawer.getByRole('button', { name: 'Copy URL' }).click();
  const url = String(await page.evaluate('navigator.clipboard.readText()'));
  expect((await emulator.call('GET', url)).bytes.toString()).toBe('Ahoy.');
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await drawer.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /second\.txt/ }).waitFor({ state: 'detached' });
  expect((await emulator.call('GET', url)).status).toBe(404);
  await page.getByTitle('Balance').getByText('99,996').waitFor();
});

it('saves an element for the selected account, and deletes it', async () => {
  const { page } = await open(`${emulator.url}/dashboard/gallery?tab=elements`, { allows: '400' });
  const release = await delayAccounts(page);
  await page.reload();
  await page.getByRole('button', { name: 'New element' }).click();
  const drawer = page.getByRole('complementary', { name: 'Element' });
  await drawer.getByLabel('Handle').fill('no good');
  await drawer.getByRole('textbox', { name: 'Name' }).fill('Mara');
  expect(await drawer.getByRole('button', { name: 'Save for this account' }).isDisabled()).toBe(true);
  release();
  await drawer.getByRole('button', { name: /^Save for/ }).click();
  await drawer.getByRole('alert').waitFor();
  await drawer.getByLabel('Handle').fill('mara');
  await drawer.getByRole('button', { name: /^Save for/ }).click();
  await page.getByRole('row', { name: /@mara/ }).click();
  await drawer.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No elements yet' }).waitFor();
});

it('uses no expired URL for a thumbnail or file after the clock has moved', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.post('/images/generations', { prompt: 'a lantern' });
  await account.post('/audio/speech', { input: 'Ahoy.', voice: 'aria' });
  const [{ id } = { id: '' }] = await account.library();
  const { page } = await open(`${emulator.url}/dashboard/gallery/${id}`);
  const loaded = '[...document.querySelectorAll("img.shot")].filter(({ naturalWidth }) => naturalWidth > 0).length';
  // The clock must not move while a file is still on its way.
  const pending = '[...document.images].filter(({ naturalWidth }) => naturalWidth === 0).length';
  const reads: string[] = [];
  page.on('request', (request) => reads.push(request.url()));
  await expect.poll(() => page.evaluate(loaded)).toBe(2);
  await expect.poll(() => page.evaluate(pending)).toBe(0);
  // The clock moves while another page is open, and then while the gallery is open.
  await visit(page, '/dashboard/jobs');
  await emulator.advance(8 * 86_400);
  await page.getByRole('link', { name: /Clock:.*\+8 d/ }).waitFor();
  await visit(page, `/dashboard/gallery/${id}`);
  await expect.poll(() => page.evaluate(loaded)).toBe(2);
  await expect.poll(() => page.evaluate(pending)).toBe(0);
  await emulator.advance(8 * 86_400);
  await page.getByRole('link', { name: /Clock:.*\+16 d/ }).waitFor();
  const before = reads.length;
  await page.getByRole('button', { name: 'Images', exact: true }).click();
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await expect.poll(() => page.evaluate(loaded)).toBe(2);
  const now = Date.parse((await emulator.control('GET', '/clock')).body.now) / 1000;
  const expiries = reads.slice(before).flatMap((url) => new URL(url).searchParams.get('expires') ?? []);
  for (const expires of expiries) expect(Number(expires)).toBeGreaterThan(now);
  // A rejected read would be a console error, which fails the test.
});
