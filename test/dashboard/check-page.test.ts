import { expect, it } from 'vitest';
import { folderOf, runToEnd, SpawnedProgram } from '../cli/spawned-program.ts';
import { accessibilityFaults, startBrowser } from '../support/browser.ts';

const open = await startBrowser();

/** Sends its message again whatever became of the first. */
const GREEDY = `
const { SVC_BASE_URL: base, SVC_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const body = JSON.stringify({ model: 'svc-rp-mini', max_tokens: 4, messages: [{ role: 'user', content: 'Hello.' }] });
const send = () => fetch(base + '/v1/chat/completions', { method: 'POST', headers, body }).then((answer) => answer.text());
await send().catch(send);
`;

it('shows the last check of its folder at /check: light, dark and narrow', async () => {
  const folder = folderOf({ 'suite.mjs': GREEDY });
  const program = new SpawnedProgram(['--port', '0', '--ephemeral'], {}, folder);
  const url = await program.ready();
  const { page: dashboard } = await open(`${url}/dashboard/live`);
  const link = dashboard.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: 'Check' });
  await dashboard.getByRole('link', { name: 'Docs' }).waitFor();
  expect(await link.count()).toBe(0);
  const none = await fetch(`${url}/check`);
  expect([none.status, await none.text()]).toEqual([404, expect.stringContaining('svc-emulator check -- npm test')]);
  const search = ['--only', 'lost_response', '--budget', '60s'];
  expect(await runToEnd(['check', ...search, '--', 'node', 'suite.mjs'], {}, folder)).toMatchObject({ exitCode: 1 });
  await dashboard.reload();
  await link.click();
  await dashboard.getByRole('heading', { name: /FAILED pays-once/ }).waitFor();
  await dashboard.setViewportSize({ width: 390, height: 800 });
  expect(await dashboard.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  expect(await accessibilityFaults(dashboard)).toEqual([]);
  expect((await fetch(`${url}/check`, { method: 'POST' })).status).toBe(405);
});
