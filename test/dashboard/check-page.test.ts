import { expect, it } from 'vitest';
import { GREEDY } from '../check/app/greedy-story.ts';
import { folderOf, runToEnd, SpawnedProgram } from '../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../support/browser.ts';

const open = await startBrowser();

it('shows the last check of its folder at /check: light, dark, narrow, and by keys', async () => {
  const folder = folderOf({ 'story.mjs': GREEDY });
  const program = new SpawnedProgram(['--port', '0', '--ephemeral'], {}, folder);
  const url = await program.ready();
  const { page: dashboard } = await open(`${url}/dashboard/live`);
  const link = dashboard.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Check' });
  await dashboard.getByRole('link', { name: 'Docs' }).waitFor();
  expect(await link.count()).toBe(0);
  const none = await fetch(`${url}/check`);
  expect([none.status, await none.text()]).toEqual([404, expect.stringContaining('svc-emulator check -- npm test')]);
  const search = ['app', '--only', 'lost_answer', '--budget', '60s'];
  expect(await runToEnd(['check', ...search, '--', 'node', 'story.mjs'], {}, folder)).toMatchObject({ exitCode: 1 });
  await dashboard.reload();
  await link.click();
  await dashboard.getByRole('heading', { name: /never pays twice/ }).waitFor();
  for (const theme of ['light', 'dark'] as const) {
    const { page } = await open(`${url}/check`, { theme, width: 390 });
    await page.getByRole('heading', { name: /never pays twice/ }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement !== document.body')).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  expect((await fetch(`${url}/check`, { method: 'POST' })).status).toBe(405);
});
