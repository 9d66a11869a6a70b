import { expect, it } from 'vitest';
import { dashboardOpener, visit } from '../support/browser.ts';
import { fileForm } from '../support/wire.ts';
import { world } from '../support/world.ts';

const open = await dashboardOpener();

/** The address of each list, the label of its search, a search word, the number of results, and the number of rows. */
const LISTS = [
  ['flows', 'Search flows', 'lamp', 1, 2],
  ['flows?tab=runs', 'Search runs', 'lamp', 1, 2],
  ['webhooks?tab=endpoints', 'Search endpoints', 'lamp', 1, 2],
  ['webhooks', 'Search deliveries', '/lamp', 2, 4],
  ['faults', 'Search rules', 'music', 1, 2],
  ['faults?view=snapshots', 'Search snapshots', 'lamp', 1, 2],
  ['gallery?tab=storage', 'Search stored files', 'lamp', 1, 2],
  ['gallery?tab=elements', 'Search elements', 'lamp', 1, 2],
  ['jobs', 'Search jobs', 'lamp', 1, 2],
  ['money', 'Search the ledger', 'image', 2, 8],
  ['people', 'Search accounts', 'owner', 1, 1],
] as const;

it('finds the rows that contain all the searched words, in each of eleven lists of the dashboard', {
  timeout: 120_000,
}, async () => {
  const emulator = await world();
  const account = await emulator.first();
  const owner = { workspace_id: account.workspaceId };
  const steps = [{ nodeId: 'words', type: 'text', params: { prompt: '{{inputs.topic}}' } }];
  for (const name of ['mug', 'lamp']) {
    const { body: flow } = await emulator.control('POST', '/flows', { ...owner, name, steps });
    await emulator.control('POST', `/flows/${flow.id}/runs`, { inputs: { topic: name } });
    await account.post('/webhooks', { url: `http://127.0.0.1:9/${name}`, events: ['image.generation.succeeded'] });
    const path = name === 'mug' ? '/v1/videos' : '/v1/music';
    await emulator.control('POST', '/faults', { match: { path }, effect: { status: 503 } });
    await emulator.control('POST', '/snapshots', { name });
    await emulator.control('POST', '/elements', { account_id: account.id, handle: name, name, kind: 'object' });
    await account.post('/storage/objects', fileForm('kept', `${name}.txt`, { name: `${name}.txt` }));
  }
  for (const name of ['mug', 'lamp']) await account.post('/images/generations', { prompt: `a ${name}` });
  await emulator.control('GET', '/wait?for=idle&timeout=120');
  const { page } = await open(`${emulator.url}/dashboard/flows`);
  const rows = page.locator('.list-rows [role="row"]');
  for (const [path, label, word, found, all] of LISTS) {
    await visit(page, `/dashboard/${path}`);
    await page.getByLabel(label).waitFor();
    await expect.poll(() => rows.count(), { message: label }).toBe(all);
    await page.getByLabel(label).fill(word.toUpperCase());
    await expect.poll(() => rows.count(), { message: `${label} for ${word}` }).toBe(found);
    await expect.poll(() => decodeURIComponent(page.url())).toContain(`q=${word.toUpperCase()}`);
    await page.getByLabel(label).fill(`zeppelin ${word}`);
    await page.getByRole('heading', { name: 'No results' }).waitFor();
  }
});
