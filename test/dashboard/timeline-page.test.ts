import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { traceOpener } from '../control/trace/open-trace.ts';
import { traceOf } from '../control/trace/run-of-shop.ts';
import { accessibilityFaults, startBrowser, untilLive, visit } from '../support/browser.ts';
import { subscribe } from '../support/receiver.ts';
import { CHAT } from '../support/wire.ts';
import { world, worldForEach } from '../support/world.ts';

const open = await startBrowser();
const openFile = await traceOpener();
const emulator = await worldForEach();
/** Two takes, of which the second fails. */
const SONG = { style: 'slow piano [[fail:take=2]]', instrumental: true, n: 2, seconds: 30 };

it('writes "1 credit" and "1 request" in the singular', async () => {
  const here = await world({ credits: 2 });
  const { headers } = await (await here.first()).post('/chat/completions', CHAT);
  const { page } = await open(`${here.url}/dashboard/timeline/${headers.get('x-request-id')}`);
  await page.getByText(/svc-rp-mini.* · 1 credit$/).waitFor();
  await visit(page, '/dashboard/verdict');
  await page.getByText('1 request checked', { exact: true }).waitFor();
  await page.getByTitle('Balance').getByText('1 credit', { exact: true }).waitFor();
});

it('draws the timeline of an order, opens its failed part, and links its parts', async () => {
  const account = await emulator.account({ credits: 1000 });
  const made = await account.post('/music/generations', SONG);
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page } = await open(`${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}`);
  const steps = page.getByRole('list', { name: 'Steps' });
  await steps.getByRole('button', { name: /Take 2 failed: render_failed/, pressed: true }).waitFor();
  await page.getByRole('group', { name: 'Timeline' }).getByText('render_failed').waitFor();
  await page.getByRole('heading', { name: 'Job', exact: true }).waitFor();
  // What came of the first take stands in its lane; the balance went down twice, and up once.
  await page.getByRole('link', { name: 'Open the song' }).waitFor();
  expect(await page.locator('.balance-line').count()).toBe(4);
  expect(await page.locator('.lane-tie').count()).toBe(0);
  expect(await accessibilityFaults(page)).toEqual([]);
  const parts = page.getByRole('navigation', { name: 'Related records' });
  await parts.getByRole('link', { name: /^le_/ }).last().click();
  await steps.getByRole('button', { name: /Refunded 3 credits for take 2/, pressed: true }).waitFor();
  // No words are overprinted, also where the last change of money is at the end of the axis.
  expect(await page.evaluate(LAST_AT_THE_END)).toEqual(['bar bare', 'bar-note']);
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

/** Pairs of words of the drawing, or of a word and a bar of another step, that overprint each other. */
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

/** What is measured in a frame is drawn by the next. */
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

/** Puts the last change of money at the end of the axis, where its words are left of it. */
const LAST_AT_THE_END = `(() => {
  const parts = [...document.querySelectorAll('[data-lane=money] :is(.bar, .bar-note)')].slice(-2);
  for (const part of parts) {
    part.dataset.side = 'before';
    for (const [name, value] of [['--from', 100], ['--to', 100], ['--before', 90], ['--next', 100]]) {
      part.style.setProperty(name, value + '%');
    }
  }
  return parts.map((part) => part.className);
})()`;

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

/** The texts of elements that are cut. */
const CUT = `[...document.querySelectorAll(':is(.timeline-title, .timeline-status) .cut')].filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.textContent)`;

it('shows the title of an order on its own line, and does not shorten it if there is room', async () => {
  const account = await emulator.account({ credits: 1000, name: 'Harbour' });
  const prompt = 'a storm tears the lamp off the tower while the keeper looks for his cat [[fail]]';
  const made = await account.post('/videos/generations', { prompt, seconds: 5 });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const order = `/dashboard/timeline/${made.headers.get('x-request-id')}`;
  const expectRoom = async (page: Page) => {
    const head = page.locator('.timeline-title');
    const title = await head.getByRole('heading', { name: prompt }).boundingBox();
    const chip = await page.getByText('The job failed: render_failed, fully refunded').boundingBox();
    expect(chip?.y).toBeGreaterThanOrEqual((title?.y ?? 0) + (title?.height ?? 0));
    expect(title?.width).toBe((await head.boundingBox())?.width);
    expect(await page.evaluate(CUT)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    const padding = await page.evaluate("getComputedStyle(document.querySelector('.step')).paddingLeft");
    expect(padding).toBe('16px');
  };
  const { page } = await open(emulator.url + order, { width: 1440 });
  await expectRoom(page);
  const trace = await openFile('head.html', await traceOf(emulator), { width: 1440 });
  await trace.page.evaluate(`location.hash = ${JSON.stringify(order)}`);
  await expectRoom(trace.page);
});

it('copies a request as curl and as a test, resends it as the same account, and adds a fault for the next one [R005]', async () => {
  const account = await emulator.account({ credits: 950 });
  const content = "It's me & `you` $HOME";
  const made = await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  const { page, faults } = await open(`${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}`);
  await page.getByRole('button', { name: 'Copy as curl' }).click();
  expect(String(await page.evaluate('navigator.clipboard.readText()'))).toContain("It'\\''s me & `you` $HOME");
  await page.getByRole('button', { name: 'Copy as test' }).click();
  const test = String(await page.evaluate('navigator.clipboard.readText()'));
  expect(test).toContain("from 'svc-emulator/vitest'");
  expect(test).toContain('expect(response.status).toBe(200);');
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
  // The browser's own word for the request that failed, as it was to.
  expect(faults.splice(0)).toEqual([expect.stringContaining('503')]);
});

it('goes to the previous and next order by keyboard, links a redelivery to its first attempt, and reports an unknown id', async () => {
  const account = await emulator.account({ credits: 1000 });
  await subscribe(account, ['image.generation.succeeded'], () => ({ status: 500 }));
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
  await page.getByRole('button', { name: 'Redeliver' }).click();
  await expect.poll(() => page.locator('.lane-tie').count()).toBe(1);
  await page.keyboard.press('j');
  await page.waitForURL(new RegExp(`/timeline/${ids[1]}`));
  // A hundred thousand letters, turned around, make the page no wider and its head no higher.
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
  // The browser's own word for the 404.
  expect(faults.splice(0)).toEqual([expect.stringContaining('404')]);
});

/** What a person does: never more than three of these lead to an answer. */
it('shows why a webhook failed, which request was refunded, an image and a 402, each in at most three actions from the first page [I235]', {
  timeout: 120_000,
}, async () => {
  const account = await emulator.account({ credits: 1000 });
  const poor = await emulator.account({ credits: 3 });
  const watched = await emulator.account({ credits: 1000 });
  await subscribe(watched, ['image.generation.succeeded'], () => ({ status: 500 }));
  await account.post('/images/generations', { prompt: 'a blue enamel mug' });
  await account.post('/images/generations', { prompt: 'a red kettle [[fail]]' });
  await watched.post('/images/generations', { prompt: 'a city at night' });
  await poor.post('/videos/generations', { prompt: 'a storm' });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page } = await open(emulator.url);
  await untilLive(page);
  let actions = 0;
  const home = page.url();
  const ask = async (question: (act: (one: Promise<unknown>) => Promise<void>) => Promise<void>) => {
    if (page.url() !== home) await page.evaluate(`history.pushState({}, '', ${JSON.stringify(home)})`);
    actions = 0;
    await question(async (one) => {
      actions += 1;
      await one;
    });
    expect(actions).toBeLessThanOrEqual(3);
  };
  const search = (q: string) => page.getByRole('searchbox', { name: 'Search requests' }).fill(q);
  // Why did this webhook not arrive?
  await ask(async (act) => {
    await act(page.getByRole('link', { name: /1 delivery failed/ }).click());
    await act(page.getByRole('row', { name: /a city at night/ }).click());
    await page.getByRole('button', { name: /Not delivered: 500/, pressed: true }).waitFor();
  });
  // Which requests cost credits that refunded?
  await ask(async (act) => {
    await act(search('has:refund'));
    await page.getByRole('row', { name: /a red kettle.*fully refunded/ }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });
  // Find the picture of the blue mug.
  await ask(async (act) => {
    await act(search('blue mug'));
    await act(page.getByRole('row', { name: /a blue enamel mug/ }).click());
    await act(
      page
        .getByRole('button', { name: /succeeded: image/ })
        .first()
        .click(),
    );
    await page.getByRole('img', { name: /a blue enamel mug/ }).waitFor();
  });
  // What is this 402?
  await ask(async (act) => {
    await act(search('status:402'));
    await page.getByRole('row', { name: /a storm.*402.*insufficient_credits/ }).waitFor();
  });
});

it('shows why a delivery failed, and reports an unknown endpoint and a missing report of check', async () => {
  const account = await emulator.account({ credits: 100 });
  await account.post('/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['image.generation.succeeded'] });
  const made = await account.post('/images/generations', { prompt: 'a lamp' });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page, faults } = await open(`${emulator.url}/dashboard/live`);
  await page.getByRole('row', { name: /a lamp.*Not delivered: connection refused/ }).click();
  await page.waitForURL(new RegExp(`${made.headers.get('x-request-id')}$`));
  await page
    .getByText(/image\/png, [\d.]+ KiB/)
    .first()
    .waitFor();
  await visit(page, '/dashboard/webhooks/we_0123456789abcdef');
  await page.getByText('No endpoint has this id').waitFor();
  await page.goto(`${emulator.url}/check`);
  await page.getByRole('heading', { name: 'No report of a check' }).waitFor();
  expect(faults.splice(0).filter((fault) => !fault.includes('404'))).toEqual([]);
});

it('shows when the URL of a file expires, and that an expired URL returns 403', async () => {
  const account = await emulator.account({ credits: 100 });
  const made = await account.post('/images/generations', { prompt: 'a lamp', response_format: 'url' });
  const { page, faults } = await open(
    `${emulator.url}/dashboard/timeline/${made.headers.get('x-request-id')}?step=returned`,
  );
  await untilLive(page);
  await page.getByText('This link is valid: it expires in 7 d').waitFor();
  await emulator.advance(8 * 86_400);
  await page.getByText('This link expired 1 d ago').waitFor();
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Opening it returns 403 url_expired' }).click(),
  ]);
  await tab.getByText('url_expired').waitFor();
  await tab.close();
  expect(faults.splice(0).filter((fault) => !fault.includes('403'))).toEqual([]);
});
