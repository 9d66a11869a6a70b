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

it('imports a flow, completes templates in its steps, checked as it is typed, and moves a step with what reads it [I078]', async () => {
  const { emulator, page } = await openFlows();
  await page.getByRole('heading', { name: 'There is no flow yet' }).waitFor();
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByRole('heading', { level: 1, name: 'Import a flow' }).waitFor();
  const params = { prompt: 'A few words about {{inputs.topic}}.' };
  await page
    .getByLabel('Flow as JSON')
    .fill(JSON.stringify({ name: 'Daily post', steps: [{ nodeId: 'text', type: 'text', params }] }));
  await page.getByText('Nothing is wrong with it').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Make the flow' }).click();
  await page.getByText('The flow is made').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Add a step: image' }).click();
  await page.getByText('1 thing to mend').waitFor();
  const second = page.getByRole('region', { name: 'Step 2' });
  await second
    .getByRole('alert')
    .getByText(/prompt.*missing/)
    .waitFor();
  const prompt = second.getByLabel('prompt', { exact: true });
  await prompt.pressSequentially('A picture of {{ste');
  await page.getByRole('option', { name: /steps\.1\.text/ }).waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await prompt.press('Enter');
  expect(await prompt.inputValue()).toBe('A picture of {{steps.1.text}}');
  await prompt.pressSequentially(' and {{inp');
  await prompt.press('ArrowDown');
  await prompt.press('ArrowUp');
  await prompt.press('Enter');
  await page.getByText('Nothing is wrong with it').waitFor();

  await page.getByRole('button', { name: 'Add a step: text' }).click();
  const third = page.getByRole('region', { name: 'Step 3' });
  await third.getByLabel('prompt', { exact: true }).fill('Something else');
  await third.getByRole('button', { name: 'Move step 3 up' }).click();
  await page.getByRole('region', { name: 'Step 2' }).getByLabel('prompt', { exact: true }).press('Alt+ArrowUp');
  await page.getByText('Nothing is wrong with it').waitFor();
  await page.getByRole('button', { name: 'Save as the next version' }).click();
  await page.getByText('Saved as version 2').waitFor();
  const [flow] = (await emulator.control('GET', '/flows')).body.data;
  expect(flow.name).toBe('Daily post');
  expect(flow.steps.map(({ nodeId, params }: { nodeId: string; params: object }) => [nodeId, params])).toEqual([
    ['text-2', { prompt: 'Something else' }],
    ['text', { prompt: 'A few words about {{inputs.topic}}.' }],
    ['image', { prompt: 'A picture of {{steps.2.text}} and {{inputs.topic}}' }],
  ]);
});

it('keeps what was changed and not saved while other pages are looked at, and takes it back', async () => {
  const { emulator, account, page } = await openFlows();
  const given = [{ type: 'text', params: { prompt: 'A few words.' } }];
  const made = await makeFlow(account, given);
  await page.getByText('Daily post').click();
  await page.getByRole('link', { name: 'Edit' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Weekly post');
  await page.getByRole('link', { name: 'Money' }).click();
  await page.getByRole('heading', { level: 1, name: 'Money' }).waitFor();
  await page.goBack();
  await expect.poll(() => name.inputValue()).toBe('Weekly post');
  await page.getByRole('button', { name: 'Take the changes back' }).click();
  await expect.poll(() => name.inputValue()).toBe('Daily post');
  await name.fill('Monthly post');
  await page.getByText('Nothing is wrong with it').waitFor();
  await page.getByRole('button', { name: 'Save as the next version' }).click();
  await page.getByText('Saved as version 2').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await expect.poll(() => name.inputValue()).toBe('Monthly post');
  expect(await page.getByRole('button', { name: 'Take the changes back' }).count()).toBe(0);
  const { body } = await emulator.control('GET', `/flows/${made.id}`);
  expect(body).toMatchObject({ name: 'Monthly post', version: 2 });
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
  expect(await accessibilityFaults(page)).toEqual([]);
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
  await page.getByRole('button', { name: 'Roll' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Roll' }).click();
  await page.getByText('The hook has a new address').waitFor();
  expect((await start()).status).toBe(404);
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'JSON' }).click();
  const text = page.getByLabel('Flow as JSON');
  await text.fill('{"name": "Weekly"}');
  await page.getByText('A flow is {').waitFor();
  const steps = [{ nodeId: 'a', type: 'text', params: { prompt: '{{steps.2.text}}' } }];
  await text.fill(JSON.stringify({ name: 'Weekly', steps }));
  await page.getByText('a step reads only earlier steps').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
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
