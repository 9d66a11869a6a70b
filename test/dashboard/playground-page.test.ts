import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { emptyFolder } from '../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser, untilLive } from '../support/browser.ts';
import { world } from '../support/world.ts';

const open = await startBrowser();
const run = promisify(execFile);
const hasPython = spawnSync('python3', ['--version']).status === 0;

/** The account of a fresh emulator, whose key everybody knows. */
const OPENED = ['grant 50', 'top_up 99950'];

const answerOf = (page: Page) => page.getByRole('region', { name: 'Answer' });

it('streams a chat, and shows its charge', async () => {
  const emulator = await world();
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/playground`);
  await untilLive(page);
  await page.getByRole('button', { name: 'Short message' }).click();
  await page.getByRole('button', { name: 'Streamed scene' }).click();
  expect(await account.ledger()).toEqual(OPENED);
  await page.getByRole('button', { name: 'Send' }).click();
  await answerOf(page).getByText('first piece after').waitFor();
  await answerOf(page).getByText('−3 credits').waitFor();
  expect(await answerOf(page).locator('.answer-text').textContent()).toMatch(/.{20}/s);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(await account.ledger()).toEqual([...OPENED, 'charge -3']);
  await answerOf(page).getByRole('link', { name: /^req_/ }).click();
  await page.getByRole('list', { name: 'Steps' }).waitFor();
});

it('says what is wrong with a form before it is sent, and charges nothing', async () => {
  const emulator = await world();
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/playground/createImage`);
  await untilLive(page);
  await page.getByRole('textbox', { name: 'prompt required' }).fill('');
  await page.getByText('prompt is missing').waitFor();
  expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true);
  expect(await account.ledger()).toEqual(OPENED);
});

it('shows what another account made, polls its jobs, and charges that account alone [R005]', async () => {
  const emulator = await world();
  const { page } = await open(`${emulator.url}/dashboard/playground/createImage`);
  const account = await emulator.account({ credits: 1000 });
  await untilLive(page);
  await page.getByRole('combobox', { name: 'Account' }).click();
  await page.getByRole('option', { name: account.id.slice(-6) }).click();
  const send = page.getByRole('button', { name: 'Send' });
  const done = page.getByText(/^(200|202)$/);
  await send.click();
  await answerOf(page).getByRole('img', { name: 'What was made' }).waitFor();
  await page.getByRole('link', { name: 'Create speech' }).click();
  await send.click();
  await answerOf(page).locator('.wave canvas').first().waitFor();
  await page.getByRole('link', { name: 'Create song' }).click();
  await page.getByRole('button', { name: 'The second take fails' }).click();
  await send.click();
  await answerOf(page).getByText('succeeded').waitFor();
  await answerOf(page).getByText('failed', { exact: true }).waitFor();
  await done.first().waitFor();
  expect((await account.ledger()).slice(2).toSorted()).toEqual(
    ['charge -10', 'charge -3', 'charge -3', 'charge -3', 'refund 3'].toSorted(),
  );
  expect(await (await emulator.first()).ledger()).toEqual(OPENED);
});

it('fills the form from a recipe of the library', async () => {
  const emulator = await world();
  const account = await emulator.first();
  await account.post('/audio/speech', { input: 'Ahoy.', voice: 'orion' });
  const [entry] = await account.library();
  const { page } = await open(`${emulator.url}/dashboard/playground/createSpeech?from=${entry?.id}`);
  await expect.poll(() => page.getByRole('textbox', { name: 'input required' }).inputValue()).toBe('Ahoy.');
  await page.getByRole('combobox', { name: 'voice' }).getByText('orion').waitFor();
});

it('writes the call as code that runs', async () => {
  const emulator = await world();
  const account = await emulator.first();
  const { page } = await open(`${emulator.url}/dashboard/playground`);
  await untilLive(page);
  const code = async (language: string) => {
    await page.getByRole('button', { name: language, exact: true }).click();
    await page.getByRole('button', { name: 'Copy the call as code' }).click();
    return String(await page.evaluate('navigator.clipboard.readText()'));
  };
  const chunk = '"object":"chat.completion.chunk"';
  expect((await run('bash', ['-c', await code('curl')])).stdout).toContain(chunk);
  const node = async (text: string) => (await run(process.execPath, ['--input-type=module', '-e', text])).stdout;
  expect(await node(await code('fetch'))).toContain(chunk);
  expect((await node(await code('openai'))).length).toBeGreaterThan(20);
  await page.goto(`${emulator.url}/dashboard/playground/createSong`);
  expect(await node(await code('openai'))).toContain('credits_spent: 6');
  expect(await account.ledger()).toEqual([
    ...OPENED,
    ...['charge -3', 'charge -3', 'charge -3'],
    ...['charge -3', 'charge -3'],
  ]);
});

it.skipIf(!hasPython)('writes the call as Python that runs, an upload too', async () => {
  const emulator = await world();
  const account = await emulator.first();
  const folder = emptyFolder();
  const spoken = await account.post('/audio/speech', { input: 'Ahoy there.', voice: 'orion' });
  await writeFile(join(folder, 'voice.mp3'), spoken.bytes);
  const { page } = await open(`${emulator.url}/dashboard/playground?code=python`);
  await untilLive(page);
  const answered = async () => {
    await page.getByRole('button', { name: 'Copy the call as code' }).click();
    const code = String(await page.evaluate('navigator.clipboard.readText()'));
    return (await run('python3', ['-c', code], { cwd: folder })).stdout;
  };
  expect(await answered()).toContain('"object":"chat.completion.chunk"');
  await page.goto(`${emulator.url}/dashboard/playground/createTranscription?code=python`);
  expect(await answered()).toContain('Ahoy there.');
  expect((await account.ledger()).slice(0, 4)).toEqual([...OPENED, 'charge -3', 'charge -3']);
});

it('fits a phone, and keeps to its form what is long, wide or no text', async () => {
  const emulator = await world();
  const prompt = `<img src=x onerror=alert(1)> ${'x'.repeat(2000)} مرحبا`;
  const account = await emulator.first();
  await account.post('/images/generations', { prompt });
  const [entry] = await account.library();
  const phone = { width: 390, height: 844 };
  const { page } = await open(`${emulator.url}/dashboard/gallery/${entry?.id}`, phone);
  await untilLive(page);
  const fits = async () => expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await page.getByRole('complementary', { name: 'Render' }).getByText('onerror').first().waitFor();
  await fits();
  await page.getByRole('link', { name: 'Use in playground' }).click();
  await expect.poll(() => page.getByRole('textbox', { name: 'prompt required' }).inputValue()).toBe(prompt);
  await page.getByRole('button', { name: 'Send' }).click();
  await answerOf(page).getByRole('img', { name: 'What was made' }).waitFor();
  await fits();
  await page.getByRole('combobox', { name: 'Operation' }).click();
  await page.getByRole('option', { name: /List objects/ }).click();
  await page.getByRole('button', { name: 'Send' }).click();
  await answerOf(page).getByRole('region', { name: 'Answer body' }).getByText('list').waitFor();
});
