import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { saveTraceInFolder } from '../../../src/client/runners/trace-folder.ts';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { heading } from '../../control/trace/open-trace.ts';
import { accessibilityFaults, startBrowser } from '../../support/browser.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const open = await startBrowser();
const emulator = await world();

async function traceOf(content: string): Promise<string> {
  const account = await emulator.account();
  await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  return (await emulator.control('POST', '/trace', { account_id: account.id })).bytes.toString();
}

it('saves traces of under 60 kB next to one viewer and a list, which open without a network, and replaces a trace of the same name', async () => {
  const folder = path.join(emptyFolder(), 'svc-traces');
  saveTraceInFolder(folder, 'a.html', { html: await traceOf('One to replace.'), title: 'sells for the first time' });
  saveTraceInFolder(folder, 'a.html', { html: await traceOf('The first of two.'), title: 'sells "a <b>" & c' });
  saveTraceInFolder(folder, 'b 2.html', { html: await traceOf('The second of two.'), title: 'buys' });
  const names = readdirSync(folder).sort();
  expect(names).toEqual(['a.html', 'b 2.html', 'index.html', expect.stringMatching(/^viewer-[0-9a-f]{8}\.js$/)]);
  for (const name of names.slice(0, 3)) expect(statSync(path.join(folder, name)).size).toBeLessThan(60_000);

  const { page, context } = await open('about:blank');
  await context.setOffline(true);
  await page.goto(pathToFileURL(path.join(folder, 'index.html')).href);
  expect(await page.getByRole('link').allTextContents()).toEqual(['buys', 'sells "a <b>" & c']);
  await page.getByText('2 traces, the newest first').waitFor();
  // A row is as wide as the page.
  expect((await page.getByRole('listitem').first().boundingBox())?.width).toBe(page.viewportSize()?.width);
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'buys' }).click();
  await heading(page).waitFor();
  await page.getByText('The second of two.').first().waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'sells' }).click();
  await page.getByText('The first of two.').first().waitFor();
  expect(await page.getByText('The second of two.').count()).toBe(0);
});
