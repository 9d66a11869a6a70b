import type { Locator, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator.ts';
import { fileOf } from '../cli/spawned-program.ts';
import { atEnd } from '../support/at-end.ts';
import { accessibilityFaults, dashboardOpener, startBrowser, untilLive, visit } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { ephemeral, TestAccount, world, worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const openLocked = await startBrowser();
const emulator = await worldForEach();

const AREAS = [
  ['/dashboard/live', 'Live'],
  ['/dashboard/money', 'Money'],
  ['/dashboard/people', 'Keys and people'],
  ['/dashboard/gallery', 'Gallery'],
  ['/dashboard/playground', 'Playground'],
  ['/dashboard/jobs', 'Jobs and time'],
  ['/dashboard/webhooks', 'Webhooks'],
  ['/dashboard/flows', 'Flows'],
  ['/dashboard/faults', 'Faults and snapshots'],
  ['/docs', 'Docs'],
] as const;

const HAS_LATE_PARTS =
  "['toast-corner', 'rest'].every((part) => performance.getEntriesByType('resource').some(({ name, responseEnd }) => name.includes(part) && responseEnd > 0))";

const OFFLINE = 'This page reconnects as soon as it runs again';

/** Areas that are checked with axe here. Other tests check the other areas, with content in them. */
const HELD_HERE = ['Money', 'Keys and people', 'Jobs and time'];

it('opens each area from the navigation, and shows the names of all areas in full at three widths', async () => {
  const { page } = await open(emulator.url);
  for (const [address, title] of AREAS) {
    const link = page.getByRole('navigation').getByRole('link', { name: title, exact: true });
    await link.click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(new URL(page.url()).pathname).toBe(address);
    expect(await link.getAttribute('aria-current')).toBe('page');
    expect((await page.title()).split(' · ').slice(-2)).toEqual([title, `local :${new URL(emulator.url).port}`]);
    if (HELD_HERE.includes(title)) expect([title, ...(await accessibilityFaults(page))]).toEqual([title]);
  }
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Docs' }).waitFor();
  const docs = page.getByRole('navigation').getByRole('link', { name: 'Docs', exact: true });
  expect(await docs.getAttribute('aria-current')).toBe('page');
  for (const width of [1280, 1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    const areas = page.getByRole('navigation', { name: 'Areas' });
    await areas.getByText('Webhooks').click();
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
    const cut = '[...document.querySelectorAll(".area-name")].filter((name) => name.scrollWidth > name.clientWidth)';
    expect(await page.evaluate(`${cut}.map((name) => name.textContent)`)).toEqual([]);
    await areas.getByText('Live').click();
    await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
  }
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('navigation', { name: 'Areas' }).getByRole('button', { name: 'More' }).click();
  await docs.click();
  await page.getByRole('heading', { level: 1, name: 'Docs' }).waitFor();
});

it('copies the address and the key by a click, shows the balance, and keeps the chosen theme', async () => {
  const { page } = await open(emulator.url);
  await page.getByRole('button', { name: /Copy the base URL/ }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${emulator.url}/v1`);
  await page.getByRole('button', { name: /Copy the key/ }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('svc_sk_local_emulator');
  await page.getByTitle('Balance').getByText('100,000').waitFor();
  await page.getByRole('button', { name: /Theme: system/ }).click();
  await page.getByRole('button', { name: /Theme: light/ }).click();
  await page.reload();
  await page.getByRole('button', { name: /Theme: dark/ }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
  // If the storage is full, the theme is not saved, but the page still changes.
  await page.evaluate("Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }");
  await page.getByRole('button', { name: /Theme: dark/ }).click();
  await page.getByRole('button', { name: /Theme: system/ }).waitFor();
  expect(await page.locator('html').getAttribute('data-theme')).toBe('system');
});

it('switches to another account with the picker, and back to all accounts by keyboard', async () => {
  await emulator.control('POST', '/accounts', { name: 'Harbour', credits: 70 });
  const { page } = await open(emulator.url);
  await page.getByRole('combobox', { name: 'Account' }).click();
  await page.getByRole('option', { name: /Harbour/ }).click();
  await page.getByTitle('Balance').getByText('70', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Create a key' }).waitFor();
  await page.getByRole('combobox', { name: 'Account' }).press('Enter');
  await page.getByRole('listbox').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.type('all acc');
  await expect.poll(() => page.getByRole('option').count()).toBe(1);
  await page.keyboard.press('Enter');
  await page.getByTitle('Balance').getByText('100,070').waitFor();
});

it('finds an account outside the newest thousand by part of its name or by its id, and keeps it selected after a reload', async () => {
  const key = 'svc_sk_old_harbour';
  const newer = Array.from({ length: 999 }, (_, at) => ({ name: `n${at}` }));
  const file = fileOf(
    'world.json',
    JSON.stringify({ accounts: [{ name: 'Old harbour', credits: 70, keys: [key] }, ...newer] }),
  );
  const other = await world({ world: file });
  await other.account({ name: 'the newest' });
  const { body } = await other.control('GET', '/accounts?q=harbour');
  const old = new TestAccount(other, { ...body.data[0], api_key: key });
  const { page } = await open(other.url);
  await page.getByTitle('Balance').getByText('in the newest 1,000 accounts').waitFor();
  await page.getByRole('combobox', { name: 'Account' }).click();
  await page.getByText('Showing the newest 100 matches').waitFor();
  expect(await page.getByRole('option', { name: 'Old harbour' }).count()).toBe(0);
  const field = page.getByRole('combobox', { name: 'Name or id' });
  await field.fill('nobody at all');
  await page.getByText('No accounts found.').waitFor();
  await field.fill('OLD HAR');
  await page.getByRole('option', { name: 'Old harbour' }).click();
  await page.getByTitle('Balance').getByText('70', { exact: true }).waitFor();
  await page.reload();
  await page.getByRole('combobox', { name: 'Account' }).getByText('Old harbour').waitFor();
  await page.getByTitle('Balance').getByText('70', { exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Account' }).click();
  await field.fill(old.id);
  await page.getByRole('option', { name: 'Old harbour' }).waitFor();
  expect(await old.ledger()).toEqual(['grant 50', 'top_up 20']);
});

it('marks a frozen or moved clock, and shows the seeded balance after a reset', async () => {
  const { page } = await open(emulator.url);
  await emulator.control('PUT', '/clock', { frozen: true });
  await page.getByRole('link', { name: /Clock:.*frozen/ }).waitFor();
  await emulator.control('POST', '/clock/advance', { seconds: 8 * 86_400 });
  await page.getByRole('link', { name: /Clock:.*frozen \+8 d/ }).waitFor();
  const { body } = await emulator.control('GET', '/accounts');
  await emulator.control('POST', `/accounts/${body.data[0].id}/credits`, { amount: 5 });
  await page.getByTitle('Balance').getByText('100,005').waitFor();
  await emulator.control('POST', '/reset');
  await page.getByText('The emulator was reset').waitFor();
  await page.getByTitle('Balance').getByText('100,000').waitFor();
});

it('reports that the emulator has stopped, opens the gallery meanwhile, reconnects by itself to the next emulator, and then opens every page without an alert', async () => {
  const port = await freePort();
  const first = await startEmulator(ephemeral({ port }));
  const { page } = await open(first.url, { own: true, allows: 'ERR_' });
  // A page that has not loaded all its parts would reload after the restart and not say "Reconnected".
  await expect.poll(() => page.evaluate(HAS_LATE_PARTS)).toBe(true);
  await first.close();
  await page.getByRole('alert').getByText(OFFLINE).waitFor();
  const areas = page.getByRole('navigation', { name: 'Areas' });
  await areas.getByRole('link', { name: 'Gallery' }).click();
  await page.getByRole('heading', { level: 1, name: 'Gallery' }).waitFor();
  const told = page.getByText('Reconnected').waitFor();
  const second = await startEmulator(ephemeral({ port, credits: 70 }));
  atEnd(() => second.close());
  await Promise.all([untilLive(page), told]);
  await page.getByTitle('Balance').getByText('70').waitFor();
  for (const [, title] of AREAS) {
    await areas.getByRole('link', { name: title, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect([title, await page.getByRole('alert').count()]).toEqual([title, 0]);
  }
});

it('reloads the dashboard after a restart if the emulator stopped before all parts were loaded', async () => {
  const port = await freePort();
  const first = await startEmulator(ephemeral({ port }));
  const { page } = await open(first.url, { own: true, allows: 'ERR_' });
  const late: Route[] = [];
  // Leaves the first page, so that it does not request its late part again.
  await page.goto('about:blank');
  await page.route(/\/assets\/rest-/, (route) => void late.push(route));
  await page.goto(first.url);
  await untilLive(page);
  await expect.poll(() => late.length).toBe(1);
  await first.close();
  await page.getByRole('alert').getByText(OFFLINE).waitFor();
  await late[0]?.continue();
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Money' }).click();
  await page.waitForURL(/\/dashboard\/money$/);
  await page.keyboard.press('Control+k');
  await page.getByRole('button', { name: 'Search everything' }).waitFor();
  const second = await startEmulator(ephemeral({ port, credits: 70 }));
  atEnd(() => second.close());
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  await untilLive(page);
  await page.getByTitle('Balance').getByText('70').waitFor();
});

it('shows the dashboard as soon as an emulator that did not respond at first responds', async () => {
  const account = await emulator.account({ credits: 70 });
  await account.get('/account');
  const { page } = await open(emulator.url, { own: true, allows: 'ERR_' });
  await page.route(/\/_emulator\//, (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').getByText(OFFLINE).waitFor();
  await page.unrouteAll();
  await untilLive(page);
  await page.getByTitle('Balance').getByText('100,070').waitFor();
  await page.getByRole('row', { name: /GET \/v1\/account/ }).waitFor();
});

it('reports a missing part of the dashboard, and loads it after a reload of the page', async () => {
  const { page } = await open(emulator.url, { own: true, allows: 'ERR_' });
  await page.route(/\/assets\/rest-/, (route) => route.abort());
  await page.goto(`${emulator.url}/dashboard/money`);
  await page
    .getByRole('alert')
    .getByText(/Failed to fetch/)
    .waitFor();
  await page.getByRole('link', { name: 'Live', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
  await page.unrouteAll();
  await page.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
});

it('shows an error and a reload button instead of a white page if a response is invalid', async () => {
  const { page, faults } = await open(emulator.url, { own: true });
  await page.route(/_emulator\/accounts\?/, (route) => route.fulfill({ json: { data: {} } }));
  await page.route(/_emulator\/accounts$/, (route) => route.fulfill({ json: { data: {} } }));
  await page.reload();
  await page.getByRole('alert').waitFor();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
  await untilLive(page);
  expect(faults.splice(0).join()).toContain('is not a function');
});

it('lists the keyboard shortcuts if the question mark is pressed, and opens a page or an id with Ctrl-K', async () => {
  const { page, faults } = await open(emulator.url);
  await page.keyboard.press('?');
  const table = page.getByRole('dialog', { name: 'Keys' });
  await table.getByRole('row', { name: /g w Webhooks/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await table.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /Search pages/ });
  await field.fill('gall');
  await page.getByRole('option', { name: /Gallery/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Gallery' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('reset');
  await page.getByRole('option', { name: /Reset/ }).click();
  await page.getByRole('button', { name: 'Reset', exact: true }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('job_0123456789abcdef');
  // The browser logs that no record has this id.
  await Promise.all([page.waitForEvent('console'), page.getByRole('option', { name: /job_/ }).click()]);
  await page.waitForURL(/\/dashboard\/timeline\/job_0123456789abcdef$/);
  expect(faults.splice(0)).toEqual([expect.stringContaining('404')]);
});

it('asks for the control token if --host is not loopback, and does not ask again after a reload [I188]', async () => {
  const { emulator: far } = await world({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' });
  const near = far.url.replace('0.0.0.0', '127.0.0.1');
  const { page } = await openLocked(`${near}/dashboard/money`, { allows: '401' });
  const field = page.getByLabel('Control token');
  await field.fill('a-wrong-token-of-test');
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByRole('alert').waitFor();
  await field.fill('a-token-of-the-test');
  await page.getByRole('button', { name: 'Open the dashboard' }).click();
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  await untilLive(page);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
});

it('takes the control token from the address of the page, and removes it there [I188]', async () => {
  const { emulator: far } = await world({ host: '0.0.0.0', controlToken: 'a-token-of-the-test' });
  const near = far.url.replace('0.0.0.0', '127.0.0.1');
  const { page } = await open(`${near}/?token=a-token-of-the-test`, { allows: '401' });
  expect(page.url()).toBe(`${near}/dashboard/live`);
});

/** The number of elements that Tab reaches, and those whose focus outline is cut off or missing. */
const FRAMES = `(() => {
  const wrong = [];
  let stops = 0;
  for (const element of document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')) {
    element.focus();
    if (element.tabIndex < 0 || document.activeElement !== element) continue;
    stops += 1;
    const { outlineWidth, outlineOffset } = getComputedStyle(element);
    const by = parseFloat(outlineWidth) + parseFloat(outlineOffset) - 0.5;
    const boxes = [];
    let isScrolled = false;
    for (let box = element.parentElement; box; box = box.parentElement) {
      const { overflowX, overflowY, contentVisibility } = getComputedStyle(box);
      const { left, right, top, bottom } = box.getBoundingClientRect();
      isScrolled ||= /auto|scroll/.test(overflowY);
      if (overflowX !== 'visible' || contentVisibility === 'auto') boxes.push({ left, right, top, bottom, isScrolled });
    }
    const isCut = [...element.getClientRects()].some(({ left, right, top, bottom }) =>
      boxes.some((box) =>
        left - by < box.left || right + by > box.right ||
        (!box.isScrolled && (top - by < box.top || bottom + by > box.bottom))));
    if (isCut || !element.matches(':focus-visible')) wrong.push(location.pathname + ': ' + element.outerHTML.slice(0, 200));
  }
  return [stops, ...wrong];
})()`;

it('cuts off no focus outline, and fits each page on a narrow screen and at 200 % zoom', async () => {
  const name = 'A name that is far too long for the room it has here';
  const account = await emulator.account({ credits: 1000, name });
  await account.post('/images/generations', { prompt: 'a lamp at the end of a long pier, in the fog, at dawn' });
  const url = `${emulator.url}/_emulator/inbox/mine`;
  await account.post('/webhooks', { url, events: ['image.generation.succeeded'] });
  await account.post('/images/generations', { prompt: '[[fail]] a pier' });
  await emulator.control('POST', '/faults', { match: { path: '/v1/audio' }, effect: { status: 503 }, times: 3 });
  await emulator.idle();
  const [entry] = await account.library();
  const { page } = await open(emulator.url);
  await page.evaluate(`localStorage.setItem('svc-emulator.account', '${account.id}')`);
  await page.reload();
  await untilLive(page);
  const row = (name: RegExp) => page.getByRole('row', { name });
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  /** Elements that appear once a page is complete. */
  const places: [address: string, last: Locator][] = [
    ['/dashboard/live', row(/a lamp at the end/)],
    ['/dashboard/money', row(/Refund/)],
    ['/dashboard/people', row(/A name that is far/)],
    ['/dashboard/gallery', button(/a lamp at the end/)],
    ['/dashboard/playground', button('Send')],
    ['/dashboard/jobs', row(/a lamp at the end/)],
    ['/dashboard/webhooks', page.getByRole('heading', { name: 'No deliveries yet' })],
    ['/dashboard/flows', page.getByRole('heading', { name: /^No .* yet/ })],
    ['/dashboard/faults', row(/Returns 503/)],
    ['/docs', page.getByRole('link', { name: 'Choices' })],
    [`/dashboard/gallery/${entry?.id}`, page.getByRole('complementary', { name: 'Render' }).getByRole('img')],
    [`/dashboard/people/${account.id}`, button('Revoke')],
  ];
  expect(places.map(([address]) => address)).toEqual(expect.arrayContaining(AREAS.map(([address]) => address)));
  for (const [address, last] of places) {
    await visit(page, address);
    await last.first().waitFor();
    // After a key press, elements that a script focuses also show their focus outline.
    await page.keyboard.press('Tab');
    const [stops, ...wrong] = await page.evaluate<unknown[]>(FRAMES);
    expect(wrong).toEqual([]);
    expect(stops).toBeGreaterThan(15);
    // A narrow screen, a window of 1280 pixels at 200 % zoom, and without zoom.
    for (const width of [390, 640, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect([address, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([address, width]);
    }
  }
});

it('fits the pages of an order and of an account into windows of three sizes', async () => {
  const account = await emulator.account({ credits: 1000, name: 'Harbour' });
  const made = await account.post('/images/generations', { prompt: 'a lamp' });
  const { page } = await open(emulator.url);
  for (const [width, height] of [[390, 844] as const, [640, 340] as const, [960, 500] as const]) {
    await page.setViewportSize({ width, height });
    await visit(page, `/dashboard/timeline/${made.headers.get('x-request-id')}`);
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByText(/^The job succeeded/).waitFor();
    expect((await steps.boundingBox())?.height).toBeGreaterThanOrEqual(230);
    const areas = page.getByRole('navigation', { name: 'Areas' });
    if (width <= 720) await areas.getByRole('button', { name: 'More' }).click();
    const size = 'document.documentElement.scrollWidth + " " + document.documentElement.scrollHeight';
    expect(await page.evaluate(size)).toBe(`${width} ${height}`);
    for (const list of await areas.getByRole('list').all()) {
      expect((await list.boundingBox())?.y).toBeGreaterThanOrEqual(0);
    }
    await page.keyboard.press('Escape');
    await visit(page, `/dashboard/people/${account.id}`);
    await page.getByRole('complementary', { name: 'Account' }).getByRole('button', { name: 'Revoke' }).waitFor();
    expect(await page.evaluate(size)).toBe(`${width} ${height}`);
  }
});
