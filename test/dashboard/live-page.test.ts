import { expect, it } from 'vitest';
import { accessibilityFaults, startBrowser, untilLive } from '../support/browser.ts';
import { CHAT } from '../support/wire.ts';
import { world } from '../support/world.ts';

const open = await startBrowser();

/** An emulator of its own with an account, and its live page. */
async function openLive(path = '/dashboard/live') {
  const emulator = await world();
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(emulator.url + path);
  await untilLive(page);
  const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  return { emulator, account, page, rows };
}

it('says how to make the first request, and shows it as it comes', async () => {
  const { account, page } = await openLive();
  await page.getByRole('heading', { name: 'No request has come in yet' }).waitFor();
  await account.post('/chat/completions', CHAT);
  await page.getByRole('row', { name: /200.*POST\s*\/v1\/chat\/completions/ }).waitFor();
});

it.each(['light', 'dark'] as const)(
  'tells the story of a request in a drawer with its own address, in the %s theme',
  async (theme) => {
    const emulator = await world();
    const account = await emulator.account({ credits: 1000 });
    const prompt = `<img src=x onerror=alert(1)> ${'x'.repeat(900)} مرحبا`;
    const made = await account.post('/images/generations', { prompt });
    const id = made.headers.get('x-request-id');
    const { page } = await open(`${emulator.url}/dashboard/live/${id}`, { theme });
    const drawer = page.getByRole('complementary', { name: 'Request' });
    const story = drawer.getByRole('region', { name: 'Story' });
    await story.getByText(/took 10 credits and left 990/).waitFor();
    await story
      .getByText(/image\.generation\.succeeded/)
      .first()
      .waitFor();
    await story.getByRole('link', { name: /^job_/ }).first().waitFor();
    await drawer.getByRole('region', { name: 'Request body' }).getByText('onerror').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(page.url()).toBe(`${emulator.url}/dashboard/live`);
  },
);

it('shows near misses, refusals and warnings, and narrows to them', async () => {
  const { account, page, rows } = await openLive();
  await account.post('/responses', CHAT);
  await account.post('/chat/completions', { ...CHAT, top_p: 1 });
  await account.post('/chat/completions', CHAT);
  await page.getByRole('row', { name: /not_found/ }).waitFor();
  await page.getByRole('row', { name: /ignored top_p/ }).waitFor();
  await expect.poll(() => rows.count()).toBe(4);
  await page.getByRole('button', { name: 'Failed' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('button', { name: 'Warnings' }).click();
  await page.getByRole('row', { name: /ignored top_p/ }).waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('button', { name: 'All', exact: true }).click();
  await page.keyboard.press('/');
  await page.keyboard.type('responses');
  await expect.poll(() => rows.count()).toBe(2);
  expect(new URL(page.url()).searchParams.get('q')).toBe('responses');
});

it('holds what comes while it is paused', async () => {
  const { account, page, rows } = await openLive();
  await account.post('/chat/completions', CHAT);
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('button', { name: 'Pause' }).click();
  await account.post('/chat/completions', CHAT);
  await account.post('/chat/completions', CHAT);
  const goOn = page.getByRole('button', { name: 'Go on (2 new)' });
  await goOn.waitFor();
  expect(await rows.count()).toBe(2);
  await goOn.click();
  await expect.poll(() => rows.count()).toBe(4);
});

it('sends a request again as the same account, and leaves no key behind [R005]', async () => {
  const { account, page } = await openLive();
  await account.post('/chat/completions', CHAT);
  await page.getByRole('row', { name: /chat\/completions/ }).click();
  const before = page.url();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Sent again').waitFor();
  await page.waitForURL((url) => url.href !== before);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -1', 'charge -1']);
});

it('copies a request as curl and as a test', async () => {
  const { account, page } = await openLive();
  const content = "It's me & `you` $HOME";
  await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  await page.getByRole('row', { name: /chat\/completions/ }).click();
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const curl = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(curl).toContain("It'\\''s me & `you` $HOME");
  await page.getByRole('button', { name: 'Copy as test' }).click();
  const test = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(test).toContain("from 'svc-emulator/vitest'");
  expect(test).toContain('expect(response.status).toBe(200);');
});

it('goes through the list by the keys', async () => {
  const { account, page } = await openLive();
  await account.post('/chat/completions', CHAT);
  await account.get('/models');
  await page.getByRole('row', { name: /models/ }).waitFor();
  await page.getByRole('grid', { name: 'Requests' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('complementary', { name: 'Request' });
  await drawer.getByRole('heading', { name: /POST \/v1\/chat\/completions/ }).waitFor();
  await page.keyboard.press('ArrowUp');
  await drawer.getByRole('heading', { name: /GET \/v1\/models/ }).waitFor();
});

it('draws only what is in sight of two thousand requests, and loses none', async () => {
  const { account, page, rows } = await openLive();
  for (let sent = 0; sent < 2000; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => account.get('/account')));
    const known = (sent + 100).toLocaleString('en');
    await page.getByText(`${known} requests`, { exact: true }).waitFor();
  }
  expect(await rows.count()).toBeLessThan(60);
});
