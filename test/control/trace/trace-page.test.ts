import { expect, it } from 'vitest';
import { accessibilityFaults } from '../../support/browser.ts';
import { callHook, makeFlow, POST, settledRun, TEXT } from '../../support/flow-rig.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';
import { heading, traceOpener } from './open-trace.ts';
import { recordIn, withRecord } from './read-trace.ts';
import { runShop, traceOf } from './run-of-shop.ts';

const openFile = await traceOpener();
const emulator = await world();

const shop = await emulator.account({ name: 'shop', credits: 1000 });
const { song: _, ...run } = await runShop(emulator, shop);
const failure = 'AssertionError: expected 994 to be 997\n  at shop.test.ts:38';
const shopHtml = await traceOf(emulator, { ...run, failure, account_id: shop.id });

it('opens the trace of a failed run offline, with the failed assertion at the top', async () => {
  const { page } = await openFile('shop.html', shopHtml, { width: 1440, height: 900 });
  await heading(page).waitFor();
  const top = page.getByRole('status').getByText('expected 994 to be 997');
  await top.waitFor();
  expect(await top.innerText()).toContain('at shop.test.ts:38');
  expect((await top.boundingBox())?.y).toBeLessThan(120);
  expect(await page.locator('.balance strong').textContent()).toBe('996');
  await page.getByRole('list', { name: 'Lines of output' }).getByText('answers a chat').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await page.getByRole('slider').count()).toBe(0);
});

it('opens and closes an order by keyboard, and shows its timeline, its refund and its request', async () => {
  const { page } = await openFile('order.html', shopHtml, { width: 1440, height: 900 });
  await page.getByRole('grid', { name: 'Requests' }).getByText('a waltz for two fiddles').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const steps = page.getByRole('list', { name: 'Steps' });
  await steps.getByText(/Take 2 failed/).waitFor();
  await page
    .getByText(/3 refunded|fully refunded/)
    .first()
    .waitFor();
  await steps
    .getByText(/refund|back/i)
    .first()
    .click();
  await page.getByRole('heading', { name: 'Ledger entry' }).waitFor();
  await steps.getByRole('button').first().click();
  await page.getByText('a waltz for two fiddles').first().waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('grid', { name: 'Requests' }).waitFor();
});

it('shows in a trace the spending of all accounts together, and the ledger of one account', async () => {
  const other = await emulator.account({ name: 'second', credits: 100 });
  await other.post('/chat/completions', CHAT);
  const { page } = await openFile('money.html', await traceOf(emulator));
  await heading(page).waitFor();
  await page.evaluate('location.hash = "/dashboard/money"');
  await page.getByRole('heading', { name: 'By account' }).waitFor();
  await page.getByRole('heading', { name: 'By model' }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.getByRole('button', { name: 'second' }).click();
  await page.getByRole('grid', { name: 'Ledger' }).getByText('Charge', { exact: true }).waitFor();
});

it('finds orders in a trace with the search terms of the dashboard', async () => {
  const { page } = await openFile('search.html', shopHtml, { width: 1440 });
  const box = page.getByRole('searchbox', { name: 'Search requests' });
  const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  const waltz = rows.filter({ hasText: 'a waltz for two fiddles' });
  for (const q of ['waltz', 'has:refund', 'status:202', 'is:failed', 'took:<1h has:job', 'account:shop path:/music']) {
    await box.fill(q);
    await waltz.waitFor();
    await expect.poll(() => rows.filter({ hasText: 'Hello' }).count()).toBe(0);
  }
  await box.fill('status:500');
  await page.getByText('No results').waitFor();
});

it('finds in a trace with is:waiting the flow runs that wait for a click', async () => {
  const account = await emulator.account({ credits: 100 });
  const flows = { 'Weekly news': POST, 'Daily chat': TEXT };
  for (const [name, last] of Object.entries(flows)) {
    const flow = await makeFlow(account, [TEXT, last], { name });
    await settledRun(account, await callHook(account, flow.hook_url, { topic: 'boats' }));
  }
  const { page } = await openFile('waiting.html', await traceOf(emulator, { account_id: account.id }));
  const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  await rows.filter({ hasText: 'Daily chat' }).waitFor();
  await page.getByRole('searchbox', { name: 'Search requests' }).fill('is:waiting');
  await rows.filter({ hasText: 'Weekly news' }).waitFor();
  await expect.poll(() => rows.filter({ hasText: 'Daily chat' }).count()).toBe(0);
});

it('offers no top-up on the pages of a trace, even if a request failed because of insufficient credits', async () => {
  const account = await emulator.account({ credits: 0 });
  expect((await account.post('/chat/completions', CHAT)).status).toBe(402);
  const { page } = await openFile('red.html', await traceOf(emulator, { account_id: account.id, exit: 1 }));
  await page.getByText('insufficient_credits').first().waitFor();
  await page.evaluate('location.hash = "/dashboard/money"');
  await page.getByText('No entries yet').waitFor();
  expect(await page.getByText(/top up/i).count()).toBe(0);
});

it('shows the faults of a run at the top of its trace', async () => {
  const account = await emulator.account({ credits: 10 });
  const scenario = ['POST /v1/chat/completions #1 is answered, and the connection is reset'];
  const { page } = await openFile('made.html', await traceOf(emulator, { account_id: account.id, scenario }));
  await page.getByRole('status').getByText(`Injected: ${scenario[0]}`).waitFor();
});

it.each([
  ['cut off', (html: string) => html.replace(/(id="record">.{400})[^<]*/, '$1')],
  ['changed', (html: string) => html.replace(/(id="record">.{400}).{8}/, '$1AAAAAAAA')],
  ['without its end', (html: string) => html.slice(0, html.indexOf('id="record">') + 5000)],
  ['without the end of its script', (html: string) => html.slice(0, -200_000)],
  ['without a record', (html: string) => html.replace(/<script type="application\/gzip".*?<\/script>/s, '')],
])('says that a trace file is damaged if it is %s', async (name, damage) => {
  const { page } = await openFile(`${name}.html`, damage(shopHtml));
  await page.getByRole('heading', { name: 'This trace is damaged' }).waitFor();
});

it('reports that another version of svc-emulator wrote a trace, and what was left out of the trace', async () => {
  const { head } = recordIn(shopHtml);
  const leftOut = { requests: 80_000, files: 0, rows: ['listEvents', 'listDeliveries'] };
  const html = withRecord(shopHtml, { head: { ...head, format: 99, version: '9.9.9', leftOut }, orders: 'unknown' });
  const { page } = await openFile('other-version.html', html);
  await heading(page).waitFor();
  await page.getByText('Version 9.9.9 wrote this trace in format 99').waitFor();
  await page.getByText('80,000 older requests are left out').waitFor();
  await page.getByText('Older rows are left out: listEvents, listDeliveries').waitFor();
  await page.getByRole('button', { name: 'Close the notes' }).click();
  await page.getByText('80,000 older requests are left out').waitFor({ state: 'detached' });
  await page.getByText('No requests in this run').waitFor();
});
