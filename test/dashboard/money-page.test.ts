import { expect, it } from 'vitest';
import { dashboardOpener } from '../support/browser.ts';
import { makeFlow } from '../support/flow-rig.ts';
import { CHAT } from '../support/wire.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();

it('shows spending, and a refund with its charge', async () => {
  const account = await emulator.first();
  await account.post('/chat/completions', CHAT);
  await account.post('/images/generations', { prompt: '[[fail]] a pier' });
  const { page } = await open(`${emulator.url}/dashboard/money`);
  // The refund shows the text of its order.
  await page.getByRole('row', { name: /Refund.*a pier.*image\.generation.*refunds/ }).waitFor();
  const spending = page.getByRole('region', { name: 'Spending' });
  await spending.getByText('chat.completion svc-rp-mini').waitFor();
  await spending.getByText('1 charge, 1 refunded').waitFor();
  await page.getByRole('link', { name: /refunds/ }).click();
  await page.getByRole('button', { name: /Charged 10/, pressed: true }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Refunds' }).click();
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  expect(await account.ledger()).toEqual([...['grant 50', 'top_up 99950', 'charge -1', 'charge -10', 'refund 10']]);
  await page.getByRole('button', { name: 'Charges' }).click();
  await page.getByRole('link', { name: 'View request' }).click();
  await page.waitForURL(/\/timeline\/le_/);
  await page
    .getByRole('button', { name: /Charged 1/ })
    .first()
    .waitFor();
});

it('adds credits, changes the plan, and shows spending by account, model and day', async () => {
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/money`);
  await page.getByRole('button', { name: 'Top up' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Credits').fill('500');
  await form.getByRole('button', { name: 'Top up' }).click();
  await page.getByRole('row', { name: /Top-up.*\+500.*100,500/ }).waitFor();
  await page.getByRole('combobox', { name: 'Workspace plan' }).click();
  await page.getByRole('option', { name: /Hobby/ }).click();
  await page.getByText('Plan changed').waitFor();
  const { body } = await emulator.control('GET', `/accounts/${account.id}`);
  expect(body).toMatchObject({ plan: 'hobby', credits: 100_500 });
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 99950', 'top_up 500']);
  const [thrifty, dear] = [await emulator.account({ credits: 100 }), await emulator.account({ credits: 100 })];
  await thrifty.post('/chat/completions', CHAT);
  await dear.post('/images/generations', { prompt: 'a pier' });
  await dear.post('/images/generations', { prompt: '[[fail]] a pier' });
  const accounts = page.getByRole('region', { name: 'Spending by account' });
  await accounts.getByText('2 charges, 1 refunded').waitFor();
  await page.getByRole('region', { name: 'Spending by model' }).getByText('image.generation').waitFor();
  expect(await page.getByRole('region', { name: 'Spending by day' }).getByRole('listitem').count()).toBe(1);
  await accounts.getByRole('button').first().click();
  await page.getByRole('row', { name: /Refund.*refunds/ }).waitFor();
  expect(await dear.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -10', 'charge -10', 'refund 10']);
});

it('reads a long ledger in pages, draws visible rows only, and adds new entries without scrolling', async () => {
  const account = await emulator.first();
  for (let sent = 0; sent < 500; sent += 100) {
    await Promise.all(Array.from({ length: 100 }, () => account.post('/chat/completions', CHAT)));
  }
  const { page } = await open(`${emulator.url}/dashboard/money`);
  // Content that appears above the list later would move the list.
  await page.getByRole('region', { name: 'Spending' }).getByText('500 charges').waitFor();
  const grid = page.getByRole('grid', { name: 'Ledger' });
  await grid.getByRole('row', { name: /99,500/ }).waitFor();
  expect(await grid.getByRole('row').count()).toBeLessThan(60);
  await expect
    .poll(async () => {
      await grid.press('End');
      return grid.getByRole('row', { name: /Grant/ }).count();
    })
    .toBe(1);
  const read = grid.getByRole('row', { name: /99,990/ });
  const before = await read.boundingBox();
  await account.post('/chat/completions', CHAT);
  await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('504');
  expect(await read.boundingBox()).toEqual(before);
  await grid.press('Home');
  await grid.getByRole('row', { name: /99,499/ }).waitFor();
});

it('links the spending on a model to its ledger entries', async () => {
  const account = await emulator.account({ credits: 100, name: 'Harbour' });
  await account.post('/chat/completions', CHAT);
  await account.post('/images/generations', { prompt: 'a lamp' });
  const { page } = await open(`${emulator.url}/dashboard/money`);
  await page.getByRole('button', { name: 'Harbour' }).click();
  const rows = page.getByRole('grid', { name: 'Ledger' }).getByRole('row');
  await expect.poll(() => rows.count()).toBeGreaterThan(3);
  await page.getByRole('link', { name: 'image.generation svc-image-one' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await rows.filter({ hasText: 'a lamp' }).waitFor();
});

it('names the flow whose step was charged or refunded', async () => {
  const account = await emulator.first();
  const steps = [
    { type: 'text', params: { prompt: 'A few words.', model: 'svc-rp-mini' } },
    { type: 'image', params: { prompt: 'a pier [[fail]]' } },
  ];
  const flow = await makeFlow(account, steps);
  const { body: run } = await emulator.control('POST', `/flows/${flow.id}/runs`, {});
  await emulator.idle();
  const { page } = await open(`${emulator.url}/dashboard/money`);
  await page.getByRole('row', { name: /Charge Daily post chat\.completion.*View run/ }).waitFor();
  await page.getByRole('row', { name: /Charge Daily post image\.generation.*−10/ }).waitFor();
  await page.getByRole('row', { name: /Refund Daily post image\.generation.*\+10/ }).waitFor();
  const { body } = await emulator.control('GET', `/accounts/${account.id}/usage?limit=3`);
  expect(body.data.map(({ run_id }: { run_id: string }) => run_id)).toEqual([run.id, run.id, run.id]);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 99950', 'charge -1', 'charge -10', 'refund 10']);
});
