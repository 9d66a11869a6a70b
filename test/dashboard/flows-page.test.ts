import { expect, it } from 'vitest';
import { accessibilityFaults, startBrowser, untilLive } from '../support/browser.ts';
import { makeFlow } from '../support/flow-rig.ts';
import { world } from '../support/world.ts';

const open = await startBrowser();

async function openFlows(path = '/dashboard/flows', look: Parameters<typeof open>[1] = {}) {
  const emulator = await world();
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(emulator.url + path, look);
  await untilLive(page);
  return { emulator, account, page };
}

it('imports a flow, checked as it is typed, keeps what is not saved, and takes it back [I078]', async () => {
  const { emulator, page } = await openFlows();
  await page.getByRole('heading', { name: 'No flows yet' }).waitFor();
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: 'Import a flow' }).waitFor();
  const text = page.getByLabel('Flow as JSON', { exact: true });
  const flow = (prompt: string) =>
    JSON.stringify({ name: 'Daily post', steps: [{ nodeId: 'text', type: 'text', params: { prompt } }] });
  await text.fill(flow('{{steps.2.text}}'));
  await page.getByText('1 problem').waitFor();
  await page.getByRole('alert').getByText('a step reads only earlier steps').waitFor();
  expect(await page.getByRole('button', { name: 'Create the flow' }).isDisabled()).toBe(true);
  await text.fill(flow('A few words about {{inputs.topic}}.'));
  await page.getByText('Nothing is wrong with it').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create the flow' }).click();
  await page.getByText('Flow created').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  const before = await text.inputValue();
  await text.fill(flow('Other words.'));
  await page.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  await page.goBack();
  await expect.poll(() => text.inputValue()).toBe(flow('Other words.'));
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await expect.poll(() => text.inputValue()).toBe(before);
  await text.fill(flow('Last words.'));
  await page.getByText('Nothing is wrong with it').waitFor();
  await page.getByRole('button', { name: 'Save as the next version' }).click();
  await page.getByText('Saved as version 2').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  expect(await page.getByRole('button', { name: 'Discard changes' }).count()).toBe(0);
  const { body } = await emulator.control('GET', '/flows');
  expect(body.data).toMatchObject([
    { name: 'Daily post', version: 2, steps: [{ nodeId: 'text', params: { prompt: 'Last words.' } }] },
  ]);
});

it('starts a run, shows its steps as they happen, and has its post approved with another text [R005 I082]', async () => {
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
  await run.getByRole('img', { name: 'What b made' }).first().waitFor();
  await run.getByLabel('Text of the post').fill('Fog rolls in.');
  expect(await accessibilityFaults(page)).toEqual([]);
  await run.getByRole('button', { name: 'Approve with this text' }).click();
  await page.getByText('Approved').waitFor();
  await run.getByRole('heading', { name: /done/ }).waitFor();
  await run.getByText('Fog rolls in.').waitFor();
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -3', 'charge -10']);
  expect(await account.events()).toEqual(['image.generation.succeeded', 'flow.run.waiting', 'flow.run.succeeded']);
});

it('switches a flow off, rolls its hook, edits and imports it, and rejects and cancels runs, on a phone too [I079 I082]', async () => {
  const { emulator, account, page } = await openFlows('/dashboard/flows', {
    width: 390,
    height: 844,
  });
  const made = await makeFlow(account, [{ type: 'post', params: { text: '{{inputs.topic}}' } }]);
  const start = () => account.world.call('POST', made.hook_url, { topic: 'fog' });
  const [rejected, cancelled] = [(await start()).body.id, (await start()).body.id];
  await page.goto(`${emulator.url}/dashboard/flows/${rejected}`);
  const run = page.getByRole('complementary', { name: 'Run' });
  await run.getByRole('button', { name: 'Reject' }).click();
  await run.getByRole('heading', { name: /failed/ }).waitFor();
  await page.goto(`${emulator.url}/dashboard/flows/${cancelled}`);
  await run.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await run.getByRole('heading', { name: /failed/ }).waitFor();
  await run.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Failed' }).click();
  await expect.poll(() => page.getByRole('row', { name: /failed/ }).count()).toBe(2);

  await page.goto(`${emulator.url}/dashboard/flows`);
  await page.getByRole('switch', { name: 'Daily post is on' }).click();
  await expect.poll(async () => (await emulator.control('GET', `/flows/${made.id}`)).body.enabled).toBe(false);
  await page.getByText('Daily post').click();
  await page.getByRole('link', { name: 'Edit' }).click();
  const text = page.getByLabel('Flow as JSON', { exact: true });
  await text.fill('{"name": "Weekly"}');
  await page.getByRole('alert').waitFor();
  const steps = [{ nodeId: 'a', type: 'text', params: { prompt: '{{steps.2.text}}' } }];
  await text.fill(JSON.stringify({ name: 'Weekly', steps }));
  await page.getByText('a step reads only earlier steps').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await text.fill(JSON.stringify({ name: 'Weekly', steps: [{ ...steps[0], params: { prompt: 'x' } }] }));
  await page.getByRole('button', { name: 'Save as the next version' }).click();
  await page.getByText('Saved as version 2').waitFor();
  expect((await emulator.control('GET', `/flows/${made.id}`)).body).toMatchObject({
    name: 'Weekly',
    version: 2,
  });
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950']);
});
