import { expect, it } from 'vitest';
import { accessibilityFaults, dashboardOpener, visit } from '../support/browser.ts';
import { makeFlow } from '../support/flow-rig.ts';
import { subscribe } from '../support/receiver.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();

it('starts a flow run, shows its steps as they happen, and approves its post with a new text [I082]', async () => {
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(`${emulator.url}/dashboard/flows`);
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

it('rejects and cancels flow runs and deletes their flow, on a phone [I079 I082]', async () => {
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(`${emulator.url}/dashboard/flows`, { width: 390, height: 844 });
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

it('shows a flow run in Live after its end, also if its account is selected or a search matches it', async () => {
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(`${emulator.url}/dashboard/live`);
  const flow = await makeFlow(account, [{ type: 'image', params: { prompt: 'a pier at dusk' } }]);
  const { body } = await emulator.control('POST', `/flows/${flow.id}/runs`, {});
  await emulator.idle();
  const run = page.getByRole('row', { name: /Daily post.*svc-image-one.*flow run.*1\/1.*done.*10/ });
  await run.waitFor();
  await account.post('/images/generations', { prompt: 'a lamp' });
  await emulator.control('POST', '/notes', { text: 'the end', account_id: account.id });
  const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  const all = ['the end', 'a lamp', 'Daily post'];
  const listed = async () => {
    const texts = await rows.allInnerTexts();
    return texts.flatMap((text) => all.find((words) => text.includes(words)) ?? []);
  };
  await expect.poll(listed).toEqual(all);
  await page.getByRole('searchbox').fill('is:done daily');
  await expect.poll(listed).toEqual(['Daily post']);
  await page.getByRole('searchbox').fill(body.id);
  await run.waitFor();
  await page.getByRole('searchbox').fill('');
  await expect.poll(listed).toEqual(all);
  await page.evaluate(`localStorage.setItem('svc-emulator.account', '${account.id}')`);
  await page.reload();
  await expect.poll(listed).toEqual(all);
  await run.click();
  await page.waitForURL(new RegExp(`/timeline/${body.id}$`));
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -10', 'charge -10']);
});

it('lists the wait or the end of a flow run on its timeline before the delivery that reports it', async () => {
  const account = await emulator.account({ credits: 100 });
  await subscribe(account, ['flow.run.waiting', 'flow.run.succeeded']);
  const flow = await makeFlow(account, [{ type: 'post', params: { text: 'Fog rolls in.' } }]);
  const run = (await emulator.control('POST', `/flows/${flow.id}/runs`, {})).body;
  await emulator.idle();
  const texts = async () => {
    const { body } = await emulator.control('GET', `/timeline/${run.id}`);
    expect(body.chosen).toBe(run.id);
    return body.steps.map(({ text }: { text: string }) => text.replace(/ in [\d.]+ m?s/, ''));
  };
  expect(await texts()).toEqual([
    'Waits at step 1 for a click: approve or reject',
    'Delivered: 200 (flow.run.waiting)',
  ]);
  await emulator.control('POST', `/runs/${run.id}/click`, { choice: 'approve' });
  await emulator.idle();
  expect(await texts()).toEqual([
    'Delivered: 200 (flow.run.waiting)',
    'The run succeeded',
    'Delivered: 200 (flow.run.succeeded)',
  ]);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50']);
});
