import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SuiteFolder } from '../../support/suite-folder.ts';
import { credits, slider, traceOpener } from './open-trace.ts';

const openFile = await traceOpener();

it('goes to the moment before the suite of a shop failed, by keys alone', async () => {
  const folder = new SuiteFolder(path.join(import.meta.dirname, '..', '..', 'scenarios', 'shop'));
  const spec = readFileSync(folder.file('song-shop.spec.js'), 'utf8');
  writeFileSync(folder.file('song-shop.spec.js'), spec.replace("toBe('refunded')", "toBe('ready')"));
  const failing = 'gives the money back when a song fails';
  const line = ['svc-emulator', 'exec', '--quiet', '--trace', 'run.html', '--', 'npm', 'test', '--', '-t', failing];
  const { code, output } = await folder.runCommand('npx', line);
  expect(code, output).toBe(1);
  const { page } = await openFile('suite.html', readFileSync(folder.file('run.html'), 'utf8'), { width: 1440 });
  await slider(page).waitFor();
  await page.getByRole('list', { name: 'Tests' }).getByText(`✕ ${failing}`).waitFor();
  const atEnd = await credits(page);
  await page.keyboard.press('f');
  await page.getByText('rendering').first().waitFor();
  await expect.poll(() => credits(page)).toBe(atEnd - 3);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Steps' }).waitFor();
  expect(await page.getByText(/failed: render_failed/).count()).toBe(0);
  await page.keyboard.press('End');
  await page
    .getByText(/render_failed/)
    .first()
    .waitFor();
  await expect.poll(() => credits(page)).toBe(atEnd);
});
