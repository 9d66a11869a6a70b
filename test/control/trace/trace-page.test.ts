import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { accessibilityFaults } from '../../support/browser.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { credits, folder, slider, traceOpener } from './open-trace.ts';
import { recordIn, withRecord } from './read-trace.ts';
import { runShop, SONG, traceOf } from './run-of-shop.ts';

const openFile = await traceOpener();
const emulator = await world();

async function shop() {
  const account = await emulator.account({ name: 'shop', credits: 1000 });
  const { song: _, failing: _take, ...run } = await runShop(emulator, account);
  return traceOf(emulator, { ...run, account_id: account.id });
}

const shopHtml = await shop();

it('opens the trace of a failed run from a file without a network, and goes to the moment before the failure by keys alone', async () => {
  const { page } = await openFile('shop.html', shopHtml, { width: 1440, height: 900 });
  await slider(page).waitFor();
  expect(await credits(page)).toBe(996);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('f');
  await page
    .getByText('take 2 rendering, take 1 rendering')
    .or(page.getByText(/rendering|queued|under way/))
    .first()
    .waitFor();
  expect(await credits(page)).toBe(993);
  await page.getByRole('list', { name: 'Lines of output' }).getByText('answers a chat').waitFor();
  expect(await page.locator('.output .hatched').count()).toBeGreaterThan(0);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Steps' }).waitFor();
  expect(await page.getByText('Take 2 failed').count()).toBe(0);
  await page.keyboard.press('ArrowRight');
  await page
    .getByText(/Take 2 failed/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'To the start' }).press('Enter');
  await page.getByText('This is on no record').waitFor();
});

it('opens where it is to open, with what was made to happen above it', async () => {
  const account = await emulator.account({ credits: 1000 });
  await account.post('/chat/completions', CHAT);
  const open_at = Date.now();
  await expect.poll(() => Date.now()).toBeGreaterThan(open_at);
  await account.post('/chat/completions', CHAT);
  const schedule = ['POST /v1/chat/completions #1 is answered, and the connection is reset'];
  const html = await traceOf(emulator, { account_id: account.id, schedule, open_at });
  const { page } = await openFile('schedule.html', html, { width: 1280 });
  await slider(page).waitFor();
  await expect.poll(() => credits(page)).toBe(999);
  await page.getByRole('status').getByText(`Made to happen: ${schedule[0]}`).waitFor();
  await page.keyboard.press('End');
  await expect.poll(() => credits(page)).toBe(998);
});

it('says at its top why the run failed, and offers nothing that only a running emulator does', async () => {
  const account = await emulator.account({ credits: 0 });
  const refused = await account.post('/chat/completions', CHAT);
  expect(refused.status).toBe(402);
  const failure = 'AssertionError: expected 402 to be 200\n  at shop.test.ts:38';
  const { page } = await openFile('red.html', await traceOf(emulator, { account_id: account.id, failure, exit: 1 }));
  await slider(page).waitFor();
  const top = page.getByRole('status').getByText('expected 402 to be 200');
  await top.waitFor();
  expect(await top.innerText()).toContain('at shop.test.ts:38');
  await page.getByText('insufficient_credits').first().waitFor();
  await page.evaluate('location.hash = "/dashboard/money"');
  await page.getByText('No entries yet').waitFor();
  expect(await page.getByText(/top up/i).count()).toBe(0);
});

it('shows the pages of a run', async () => {
  const { page } = await openFile('pages.html', shopHtml);
  await slider(page).waitFor();
  for (const name of ['money', 'webhooks', 'jobs', 'gallery', 'faults', 'flows']) {
    await page.evaluate(`location.hash = '/dashboard/${name}'`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction('document.querySelector(".loading") === null');
    expect([name, await page.getByRole('alert').count()]).toEqual([name, 0]);
  }
});

it('fits a phone, and plays', async () => {
  const { page } = await openFile('phone.html', shopHtml, { width: 390, height: 844 });
  await slider(page).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('button', { name: 'To the start' }).click();
  await page.getByRole('button', { name: '100×' }).click();
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  await expect.poll(() => credits(page)).toBe(996);
});

it.each([
  ['cut off', (html: string) => html.replace(/(id="record">.{400})[^<]*/, '$1')],
  ['changed', (html: string) => html.replace(/(id="record">.{400}).{8}/, '$1AAAAAAAA')],
  ['without its end', (html: string) => html.slice(0, html.indexOf('id="record">') + 5000)],
  ['without the end of its script', (html: string) => html.slice(0, -200_000)],
  ['without a record', (html: string) => html.replace(/<script type="application\/gzip".*?<\/script>/s, '')],
])('says of a file that is %s what is wrong, and shows no blank page', async (name, damage) => {
  const { page } = await openFile(`${name}.html`, damage(shopHtml));
  await page.getByRole('heading', { name: 'This trace is damaged' }).waitFor();
});

it('opens a trace of another version, and one of which much was left out, and says so', async () => {
  const { head, tables } = recordIn(shopHtml);
  const leftOut = { requests: 80_000, files: 0, rows: { of: ['events', 'deliveries'], kept: 50_000 } };
  const other = { ...head, format: 99, version: '9.9.9', leftOut, marks: [] };
  const { page } = await openFile(
    'other-version.html',
    withRecord(shopHtml, { head: other, tables: { requests: tables.requests } }),
  );
  await slider(page).waitFor();
  await page.getByText(/written by version 9\.9\.9, in the format 99/).waitFor();
  await page.getByText('80,000 older requests are left out').waitFor();
  await page.getByText('Older rows are left out: events, deliveries').waitFor();
  await page.getByText('The newest 50,000 of each are in it.').waitFor();
  await page.getByRole('button', { name: 'Close these notes' }).click();
  await page.getByText('80,000 older requests are left out').waitFor({ state: 'detached' });
  await page.getByText('POST /v1/music/generations').first().waitFor();
});

it('opens a run with no request', async () => {
  const own = await world();
  const { page } = await openFile('empty.html', await traceOf(own));
  await slider(page).waitFor();
  await page.getByText('This run made no request').waitFor();
});

it('lays a second run beside it: where they part, what it cost, and which answers differ', async () => {
  const account = await emulator.account({ credits: 900 });
  await account.post('/chat/completions', CHAT);
  await account.post('/music/generations', { ...SONG, prompt: 'a waltz for two fiddles' });
  await emulator.control('GET', '/wait?for=idle&timeout=60');
  const other = path.join(folder, 'other.html');
  writeFileSync(other, await traceOf(emulator, { title: 'the run of yesterday', account_id: account.id }));
  const { page } = await openFile('compared.html', shopHtml, { width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Two runs' }).click();
  await page.getByText('There is one run so far').waitFor();
  await page.getByLabel('Choose the second trace').setInputFiles(other);
  const why = page.getByRole('region', { name: 'Why' });
  await why
    .getByText('take 2 of svc-music-one came to failed: render_failed on the left, to succeeded on the')
    .waitFor();
  await why.getByText('prompt was "a waltz for two fiddles [[fail:take=2]]" on the left').waitFor();
  const steps = page.getByRole('region', { name: 'Steps of both runs' });
  await steps.getByRole('link', { name: 'take 2 of svc-music-one' }).waitFor();
  const spend = page.getByRole('region', { name: 'Credits by model' });
  await spend.getByRole('row', { name: 'svc-music-one 3 6 +3' }).waitFor();
  await page.getByText('the run of yesterday').waitFor();
  await page.getByRole('region', { name: 'What answers say' }).getByText('usage.credits_remaining').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Swap sides' }).click();
  await spend.getByRole('row', { name: 'svc-music-one 6 3 −3' }).waitFor();
  await why.getByText('came to succeeded on the left, to failed: render_failed on the right').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});
