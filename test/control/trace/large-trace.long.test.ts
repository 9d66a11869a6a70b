import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { emptyFolder } from '../../cli/spawned-program.ts';
import { startBrowser } from '../../support/browser.ts';
import { CHAT } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';
import { recordIn, requestsIn } from './read-trace.ts';
import { traceOf } from './run-of-shop.ts';

const open = await startBrowser();
const AT_ONCE = 32;

/** Sends `count` different chats, each of which must return 200. */
async function chats(account: TestAccount, count: number): Promise<void> {
  let left = count;
  const ask = async () => {
    while (left > 0) {
      left -= 1;
      const content = `What stands at milestone ${left} of the road to the sea, and who has put it there?`;
      const order = { ...CHAT, messages: [{ role: 'user', content }] };
      expect((await account.post('/chat/completions', order)).status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
}

it('saves a thousand different requests in a trace of less than 4 MB without media', async () => {
  const emulator = await world();
  const account = await emulator.account({ credits: 5000 });
  await chats(account, 900);
  for (let n = 0; n < 100; n += 1) await account.post('/images/generations', { prompt: `a lighthouse, number ${n}` });
  const html = await traceOf(emulator, { media: 'none', account_id: account.id });
  expect(requestsIn(recordIn(html))).toHaveLength(1000);
  expect(Buffer.byteLength(html)).toBeLessThan(4_000_000);
}, 300_000);

it('keeps the newest 5,000 of 100,000 requests in a trace, and says how many were left out', async () => {
  const emulator = await world({ journalLimit: 200_000 });
  const account = await emulator.account({ credits: 200_000 });
  await chats(account, 100_000);
  const html = await traceOf(emulator);
  const trace = recordIn(html);
  expect(trace.orders).toHaveLength(5000);
  expect(trace.head.leftOut.requests).toBe(95_000);
  const newest = (await emulator.control('GET', '/requests?limit=1')).body.data[0].id;
  expect(trace.orders[0]?.ids).toContain(newest);
  const folder = emptyFolder();
  const file = path.join(folder, 'large.html');
  writeFileSync(file, html);
  const { page } = await open(pathToFileURL(file).href);
  await page.getByText('95,000 older requests are left out').waitFor();
  await page.getByText('5,000 requests').first().waitFor();
}, 1_800_000);

it('saves the trace of a run of a hundred tests in at most 2 MB', async () => {
  const own = await world();
  const output = [];
  for (let n = 0; n < 100; n += 1) {
    const account = await own.account({ name: `test ${n}`, credits: 100 });
    const content = `What is at milestone ${n} of the road to the sea, and who put it there?`;
    await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
    if (n % 2 === 0) await account.post('/images/generations', { prompt: `a lighthouse, number ${n}` });
    output.push({ at: Date.now(), from: 'out', text: ` ✓ sells to customer ${n} 12 ms` });
  }
  const html = await traceOf(own, { output });
  expect(recordIn(html).orders).toHaveLength(150);
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(2_000_000);
});
