import { expect, it } from 'vitest';
import { accessibilityFaults, startBrowser, untilLive, visit } from '../support/browser.ts';
import { makeFlow } from '../support/flow-rig.ts';
import { worldForEach } from '../support/world.ts';

const open = await startBrowser();
const emulator = await worldForEach();

async function openFlows(path = '/dashboard/flows', look: Parameters<typeof open>[1] = {}) {
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(emulator.url + path, look);
  await untilLive(page);
  return { emulator, account, page };
}

it('starts a flow run, shows its steps as they happen, and approves its post with a new text [R005 I082]', async () => {
  const { account, page } = await openFlows('/dashboard/flows');
  const steps = [
    { type: 'text', params: { prompt: 'A few words about {{inputs.topic}}.' } },
    { type: 'image', params: { prompt: '{{inputs.topic}}, at dusk' } },
    { type: 'post', params: { text: '{{steps.1.text}}', url: '{{steps.2.url}}' } },
  ];
  await makeFlow(account, steps, { account_id: account.id });
  await page.getByRole('row', { name: /Daily post/ }).click();
  const flow = page.getByRole('complementary', { name: 'Flow' });
  await flow.getByLabel('topic').fill('a lighthouse');
  await flow.getByRole('button', { name: 'Start a run' }).click();
  const run = page.getByRole('complementary', { name: 'Run' });
  await run.getByRole('img', { name: 'Output of b' }).first().waitFor();
  await run.getByLabel('Text of the post').fill('Fog rolls in.');
  expect(await accessibilityFaults(page)).toEqual([]);
  await run.getByRole('button', { name: 'Approve with this text' }).click();
  await page.getByText('Approved').waitFor();
  await run.getByRole('heading', { name: /done/ }).waitFor();
  await run.getByText('Fog rolls in.').waitFor();
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -3', 'charge -10']);
  expect(await account.events()).toEqual(['image.generation.succeeded', 'flow.run.waiting', 'flow.run.succeeded']);
});

it('rejects and cancels flow runs and deletes their flow, on a phone too [I079 I082]', async () => {
  const { emulator, account, page } = await openFlows('/dashboard/flows', {
    width: 390,
    height: 844,
  });
  const made = await makeFlow(account, [{ type: 'post', params: { text: '{{inputs.topic}}' } }]);
  const start = () => account.world.call('POST', made.hook_url, { topic: 'fog' });
  const [rejected, cancelled] = [(await start()).body.id, (await start()).body.id];
  await visit(page, `/dashboard/flows/${rejected}`);
  const run = page.getByRole('complementary', { name: 'Run' });
  await run.getByRole('button', { name: 'Reject' }).click();
  await run.getByRole('heading', { name: /failed/ }).waitFor();
  await visit(page, `/dashboard/flows/${cancelled}`);
  await run.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await run.getByRole('heading', { name: /failed/ }).waitFor();
  await run.getByRole('button', { name: 'Close' }).click();
  await run.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Failed' }).click();
  await page.waitForURL(/status=failed/);
  await expect.poll(() => page.getByRole('row', { name: /failed/ }).count()).toBe(2);

  await visit(page, '/dashboard/flows?tab=flows');
  await page.getByRole('row', { name: /Daily post/ }).click();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Flow deleted').waitFor();
  await page.getByRole('heading', { name: 'No flows yet' }).waitFor();
  expect((await emulator.control('GET', '/flows')).body.data).toEqual([]);
  expect((await account.world.call('POST', made.hook_url, {})).status).toBe(404);
  expect((await emulator.control('GET', '/runs')).body.data).toHaveLength(2);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950']);
});
