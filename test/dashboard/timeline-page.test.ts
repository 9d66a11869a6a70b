import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { accessibilityFaults, dashboardOpener, visit } from '../support/browser.ts';
import { subscribe } from '../support/receiver.ts';
import { CHAT } from '../support/wire.ts';
import { world, worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();
/** Two takes, of which the second fails. */
const SONG = { style: 'slow piano [[fail:take=2]]', instrumental: true, n: 2, seconds: 30 };

it('draws the timeline of an order, opens its failed step, and links its records', async () => {
  const account = await emulator.account({ credits: 1000 });
  const made = await account.post('/music/generations', SONG);
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page } = await open(`${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}`);
  const steps = page.getByRole('list', { name: 'Steps' });
  await steps.getByRole('button', { name: /Take 2 failed: render_failed/, pressed: true }).waitFor();
  await page.getByRole('group', { name: 'Timeline' }).getByText('render_failed').waitFor();
  await page.getByRole('heading', { name: 'Job', exact: true }).waitFor();
  // The lane of the first take links its song. The balance fell twice and rose once.
  await page.getByRole('link', { name: 'Open the song' }).waitFor();
  expect(await page.locator('.balance-line').count()).toBe(4);
  expect(await page.locator('.lane-tie').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  const parts = page.getByRole('navigation', { name: 'Related records' });
  await parts.getByRole('link', { name: /^le_/ }).last().click();
  await steps.getByRole('button', { name: /Refunded 3 credits for take 2/, pressed: true }).waitFor();
  const [words, ...overprinted] = await page.evaluate<unknown[]>(OVERPRINTED);
  expect(overprinted).toEqual([]);
  expect(words).toBeGreaterThan(6);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => page.locator('.lanes').count()).toBe(0);
  await steps.getByRole('region', { name: 'Selected step' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/dashboard\/live/);
});

/** The number of words in the drawing, and the words that overlap each other or a tie, or leave the page. */
const OVERPRINTED = `(() => {
  const clipped = (element) => {
    let { left, right, top, bottom } = element.getBoundingClientRect();
    for (let each = element; each.matches('.lanes *'); each = each.parentElement) {
      if (getComputedStyle(each).overflow !== 'hidden') continue;
      const box = each.getBoundingClientRect();
      [left, right, top, bottom] = [Math.max(left, box.left), Math.min(right, box.right), Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const textOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    const box = clipped(element);
    return { text: element.textContent, left: Math.max(left, box.left), right: Math.min(right, box.right), top: Math.max(top, box.top), bottom: Math.min(bottom, box.bottom) };
  };
  const words = [...document.querySelectorAll('.lanes :is(.bar-text, .bar-note, .axis span)')].map(textOf)
    .filter(({ text, left, right, top, bottom }) => text !== '' && right - left > 1 && bottom - top > 1);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  const pairs = words.flatMap((a, at) => words.slice(at + 1).filter((b) => meet(a, b)).map((b) => a.text + ' / ' + b.text));
  const ties = [...document.querySelectorAll('.lane-tie')].map((tie) => ({ text: 'a tie', ...tie.getBoundingClientRect().toJSON() }));
  const crossed = ties.flatMap((tie) => words.filter((word) => Math.min(word.right, tie.right) > Math.max(word.left, tie.left) && Math.min(word.bottom, tie.bottom) > Math.max(word.top, tie.top)));
  pairs.push(...crossed.map(({ text }) => text + ' / a tie'));
  const beyond = words.filter(({ right }) => right > innerWidth).map(({ text }) => text + ' leaves the page');
  return [words.length, ...pairs, ...beyond];
})()`;

/** Waits for two frames, because a frame draws what the frame before it measured. */
const NEXT_FRAMES = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';

/** Checks the drawing of an order on both scales. */
async function expectLegible(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  for (const scale of ['Even', 'To scale']) {
    await page.getByRole('button', { name: scale }).click();
    await page.locator('.axis [data-now]').waitFor();
    await page.evaluate(NEXT_FRAMES);
    const [words, ...overprinted] = await page.evaluate<unknown[]>(OVERPRINTED);
    expect({ width, scale, overprinted }).toEqual({ width, scale, overprinted: [] });
    expect(words).toBeGreaterThan(6);
  }
}

it('draws no label of the timeline over another, even if entries are close in time, on either scale and at three widths', async () => {
  const emulator = await world({ settleAfter: 1 });
  const account = await emulator.account({ credits: 1000 });
  await subscribe(account, ['music.generation.succeeded', 'music.generation.failed']);
  const made = await account.post('/music/generations', SONG);
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { body } = await emulator.control('GET', '/deliveries');
  for (const { id } of [...body.data, ...body.data]) await emulator.control('POST', `/deliveries/${id}/redeliver`);
  const { page } = await open(`${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}`);
  for (const width of [1280, 1000, 1920]) await expectLegible(page, width);
});

it('copies a request as curl with quoted text, adds a fault for the next one, and shows that the resent request fails without a charge', async () => {
  const account = await emulator.account({ credits: 950 });
  const content = "It's me & `you` $HOME";
  const made = await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  const { page, faults } = await open(`${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}`);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  expect(String(await page.evaluate('navigator.clipboard.readText()'))).toContain("It'\\''s me & `you` $HOME");
  await page.getByRole('button', { name: 'Fail next time' }).click();
  await page.getByRole('link', { name: /Faults: 1/ }).waitFor();
  const before = page.url();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.waitForURL((url) => url.href !== before);
  await page
    .getByText(/overloaded/)
    .first()
    .waitFor();
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 900', 'charge -1']);
  // The browser logs the request that failed on purpose.
  expect(faults.splice(0)).toEqual([expect.stringContaining('503')]);
});

it('goes to the previous and next order by keyboard, links a redelivery to its first attempt, and reports an unknown id', async () => {
  const account = await emulator.account({ credits: 1000 });
  const { receiver } = await subscribe(account, ['image.generation.succeeded'], { status: 500 });
  const odd = ['\u0301'.repeat(2000), `\u202e<b>${'x'.repeat(100_000)}`];
  const ids: string[] = [];
  for (const content of odd) {
    const { headers } = await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
    ids.push(headers.get('x-request-id') ?? '');
  }
  const made = await account.post('/images/generations', { prompt: 'a lamp' });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page, faults } = await open(`${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}`);
  await page.getByRole('button', { name: /Not delivered: 500/, pressed: true }).waitFor();
  receiver.answer({ status: 200 });
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await page
    .getByText(/^Redelivered: 200 in .*image\.generation\.succeeded/)
    .first()
    .waitFor();
  await expect.poll(() => page.locator('.lane-tie').count()).toBe(1);
  await expect.poll(() => page.getByRole('button', { name: 'Older request (J)' }).isEnabled()).toBe(true);
  await page.keyboard.press('j');
  await page.waitForURL(new RegExp(`/timeline/${ids[1]}`));
  // A text of 100,000 characters with reversed direction makes neither the page wider nor its head higher.
  await page.getByRole('region', { name: 'Request body' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
  expect((await page.locator('.timeline-head').boundingBox())?.height).toBeLessThan(80);
  await page.keyboard.press('j');
  await page.waitForURL(new RegExp(`/timeline/${ids[0]}`));
  await expect.poll(() => page.locator('.timeline-head').textContent()).not.toContain('xxx');
  await page.keyboard.press('k');
  await page.waitForURL(new RegExp(`/timeline/${ids[1]}`));
  await visit(page, '/dashboard/timeline/job_0123456789abcdef01234567');
  await page
    .getByRole('alert')
    .getByText(/There is no order/)
    .waitFor();
  // The browser logs the 404.
  expect(faults.splice(0)).toEqual([expect.stringContaining('404')]);
});

it('shows why a delivery failed, and reports an unknown endpoint', async () => {
  const account = await emulator.account({ credits: 100 });
  await account.post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['image.generation.succeeded'] });
  const made = await account.post('/images/generations', { prompt: 'a lamp' });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page } = await open(`${emulator.url}/dashboard/live`, { allows: '404' });
  await page.getByRole('link', { name: /1 delivery failed/ }).click();
  await page.getByRole('row', { name: /a lamp.*Not delivered: connection refused/ }).click();
  await page.waitForURL(new RegExp(`${made.headers.get('x-request-id')}$`));
  await page
    .getByText(/image\/png, [\d.]+ KiB/)
    .first()
    .waitFor();
  await visit(page, '/dashboard/webhooks/we_0123456789abcdef');
  await page.getByText('No endpoint has this id').waitFor();
});

it('shows when the URL of a file expires, and that an expired URL returns 403', async () => {
  const account = await emulator.account({ credits: 100 });
  const made = await account.post('/images/generations', { prompt: 'a lamp', response_format: 'url' });
  const returned = `/dashboard/timeline/${made.headers.get('x-request-id')}?step=returned`;
  const { page } = await open(emulator.url + returned, { allows: '403' });
  await page.getByText('This link is valid: it expires in 7 d').waitFor();
  await emulator.advance(8 * 86_400);
  await page.getByText('This link expired 1 d ago').waitFor();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Opening it returns 403 url_expired' }).click(),
  ]);
  await tab.getByText('url_expired').waitFor();
  await tab.close();
});
