import { expect, it } from 'vitest';
import { accessibilityFaults, startBrowser, untilLive } from '../support/browser.ts';
import { world } from '../support/world.ts';

const open = await startBrowser();

it('finds flows, receivers, rules and stored files by any of their words, and says where none is like them', async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 100 });
  const steps = [{ nodeId: 'words', type: 'text', params: { prompt: 'A few words.' } }];
  for (const name of ['mug', 'lamp']) {
    await emulator.control('POST', '/flows', { workspace_id: account.workspaceId, name, steps });
    await account.post('/webhooks', { url: `http://127.0.0.1:9/${name}`, events: ['image.generation.succeeded'] });
    const rule = { match: { path: name === 'mug' ? '/v1/images' : '/v1/chat' }, effect: { status: 503 } };
    expect((await emulator.control('POST', '/faults', rule)).status, name).toBe(201);
    const form = new FormData();
    form.set('file', new Blob(['kept']), `${name}.txt`);
    form.set('name', `${name}.txt`);
    await fetch(`${emulator.url}/v1/storage/objects`, { method: 'POST', headers: account.headers, body: form });
  }
  const { page } = await open(`${emulator.url}/dashboard/flows`);
  await untilLive(page);
  for (const [path, label, word] of [
    ['flows', 'Search flows', 'lamp'],
    ['webhooks?tab=endpoints', 'Search endpoints', 'lamp'],
    ['faults', 'Search rules', 'chat'],
    ['gallery?tab=storage', 'Search what is stored', 'lamp'],
  ] as const) {
    await page.goto(`${emulator.url}/dashboard/${path}`);
    const rows = page.locator('.list-rows [role="row"]');
    await expect.poll(() => rows.count(), { message: label }).toBe(2);
    await page.getByLabel(label).fill(word.toUpperCase());
    await expect.poll(() => rows.count()).toBe(1);
    expect(await rows.textContent()).toContain(word);
    expect(page.url()).toContain(`q=${word.toUpperCase()}`);
    await page.getByLabel(label).fill('zeppelin');
    await page.getByRole('heading', { name: 'None of these is like this' }).waitFor();
  }
  expect(await accessibilityFaults(page)).toEqual([]);
});
