import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { accessibilityFaults, dashboardOpener, delayAccounts, visit } from '../support/browser.ts';
import { HOSTILE_PROMPTS } from '../support/hostile-prompts.ts';
import { world, worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();
const run = promisify(execFile);

const OPENED = ['grant 50', 'top_up 99950'];

const responseIn = (page: Page) => page.getByRole('region', { name: 'Response', exact: true });
const bodyIn = (page: Page) => page.getByRole('textbox', { name: 'Body' });
const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click();

it('streams a chat in the playground, and shows its charge', async () => {
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/playground`);
  await page.getByRole('button', { name: 'Short message' }).click();
  await page.getByRole('button', { name: 'Streamed scene' }).click();
  expect(await account.ledger()).toEqual(OPENED);
  await send(page);
  await responseIn(page).getByText('−3 credits').waitFor();
  expect(await responseIn(page).locator('.answer-text').textContent()).toMatch(/.{20}/s);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await account.ledger()).toEqual([...OPENED, 'charge -3']);
  await responseIn(page).getByRole('link', { name: /^req_/ }).click();
  await page.getByRole('list', { name: 'Steps' }).waitFor();
});

it('does not send a body that is not JSON, shows why the service rejects a request, and charges nothing', async () => {
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/playground/createImage`, { allows: '400' });
  await bodyIn(page).fill('{"prompt": ');
  await page.getByText('The body is not JSON').waitFor();
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  await bodyIn(page).fill('{}');
  await send(page);
  await responseIn(page).getByRole('alert').getByText('prompt').waitFor();
  expect(await account.ledger()).toEqual(OPENED);
});

it('sends requests as another account, shows their renders, links to their jobs, and charges only that account [R004 R005]', async () => {
  const { page } = await open(`${emulator.url}/dashboard/playground/createImage`);
  // The list of accounts is delayed, so that the search offers the account before the list contains it.
  const release = await delayAccounts(page);
  const account = await emulator.account({ credits: 1000 });
  await page.getByRole('combobox', { name: 'Account' }).click();
  await page.getByRole('option', { name: account.id.slice(-6) }).click();
  await send(page);
  release();
  await responseIn(page).getByRole('img', { name: 'Generated file' }).waitFor();
  await page.getByRole('combobox', { name: 'Operation' }).click();
  await page.getByRole('option', { name: /Create speech/ }).click();
  await send(page);
  await responseIn(page).locator('.wave canvas').first().waitFor();
  await visit(page, '/dashboard/playground/createSong');
  await page.getByRole('button', { name: 'The second take fails' }).click();
  await send(page);
  await responseIn(page).getByRole('link', { name: 'Follow it on the timeline' }).click();
  const steps = page.getByRole('list', { name: 'Steps' });
  await steps.filter({ hasText: /failed/ }).waitFor();
  await expect
    .poll(async () => (await account.ledger()).slice(2).toSorted())
    .toEqual(['charge -10', 'charge -3', 'charge -3', 'charge -3', 'refund 3'].toSorted());
  expect(await (await emulator.first()).ledger()).toEqual(OPENED);
});

it('uploads a file for a transcription, and shows its text', async () => {
  const account = await emulator.first();
  const spoken = await account.post('/audio/speech', { input: 'Ahoy there.', voice: 'orion' });
  const { page } = await open(`${emulator.url}/dashboard/playground/createTranscription`);
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles({ name: 'voice.mp3', mimeType: 'audio/mpeg', buffer: spoken.bytes });
  await send(page);
  await responseIn(page).getByRole('region', { name: 'Response body' }).getByText('Ahoy there.').waitFor();
  expect(await account.ledger()).toEqual([...OPENED, 'charge -3', 'charge -5']);
});

it('copies a request of the playground as curl, fetch or OpenAI client code that runs', async () => {
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/playground`);
  const code = async (language: string) => {
    await page.getByRole('button', { name: language, exact: true }).click();
    await page.getByRole('button', { name: 'Copy the call as code' }).click();
    return String(await page.evaluate('navigator.clipboard.readText()'));
  };
  const chunk = '"object":"chat.completion.chunk"';
  expect((await run('bash', ['-c', await code('curl')])).stdout).toContain(chunk);
  const node = async (text: string) => (await run(process.execPath, ['--input-type=module', '-e', text])).stdout;
  expect(await node(await code('fetch'))).toContain(chunk);
  await visit(page, '/dashboard/playground/createSong');
  await expect.poll(() => bodyIn(page).inputValue()).toContain('folk song');
  expect(await node(await code('openai'))).toContain('credits_spent: 6');
  expect(await account.ledger()).toEqual([...OPENED, ...['charge -3', 'charge -3'], ...['charge -3', 'charge -3']]);
});

it('the playground fills the request body from a render in the gallery, fits the screen of a phone, and shows markup and mixed scripts as text', async () => {
  const texts = HOSTILE_PROMPTS.map(([, text]) => text).filter((text) => text.isWellFormed() && text.length < 1000);
  const prompt = `<img src=x onerror=alert(1)> ${'x'.repeat(1000)} ${texts.join(' ')}`;
  const account = await emulator.first();
  await account.post('/images/generations', { prompt });
  const [entry] = await account.library();
  const phone = { width: 390, height: 844 };
  const { page } = await open(`${emulator.url}/dashboard/gallery/${entry?.id}`, phone);
  const fits = async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('complementary', { name: 'Render' }).getByText('onerror').first().waitFor();
  await fits();
  await page.getByRole('link', { name: 'Use in playground' }).click();
  await expect.poll(async () => JSON.parse(await bodyIn(page).inputValue()).prompt).toBe(prompt);
  await send(page);
  await responseIn(page).getByRole('img', { name: 'Generated file' }).waitFor();
  await fits();
  await page.getByRole('combobox', { name: 'Operation' }).click();
  await page.getByRole('option', { name: /List objects/ }).click();
  await send(page);
  await responseIn(page).getByRole('region', { name: 'Response body' }).getByText('list').waitFor();
});

it('shows a part of a streamed chat of the demo before the rest', async () => {
  const demo = await world({ demo: true });
  const { page } = await open(`${demo.url}/dashboard/playground`);
  await page.getByRole('button', { name: 'Streamed scene' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  // A part of the text appears before the rest.
  await page.locator('.answer-text[data-streams]').waitFor();
  await page.locator('.answer-text:not([data-streams])').waitFor();
});
