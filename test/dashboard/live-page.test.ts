import { expect, it } from 'vitest';
import { accessibilityFaults, dashboardOpener } from '../support/browser.ts';
import { tryFlow } from '../support/flow-rig.ts';
import { CHAT, openCall } from '../support/wire.ts';
import { worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();

/** A new account, and the live page, which shows no requests yet. */
async function openLive(path = '/dashboard/live', look = {}) {
  const account = await emulator.account({ credits: 1000 });
  const { page } = await open(emulator.url + path, look);
  const rows = page.getByRole('grid', { name: 'Requests' }).getByRole('row');
  return { account, page, rows };
}

it('says that there are no requests yet, and shows requests, notes, rejections and refunds as they arrive [I265]', async () => {
  const { account, page, rows } = await openLive();
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
  await account.post('/images/generations', { prompt: 'a blue mug' });
  await page.getByRole('row', { name: /a blue mug.*svc-image-one.*200.*1\/1.*done.*10/ }).waitFor();
  await emulator.control('POST', '/notes', { text: 'the shop opens' });
  await account.post('/responses', CHAT);
  await account.post('/chat/completions', { ...CHAT, top_p: 1 });
  await account.post('/images/generations', { prompt: 'a red mug [[fail]]' });
  await page.getByRole('row', { name: /the shop opens.*note/ }).waitFor();
  await page.getByRole('row', { name: /Did you mean \/v1\/chat\/completions.*404/ }).waitFor();
  await page.getByRole('row', { name: /ignored top_p/ }).waitFor();
  await page.getByRole('row', { name: /a red mug.*502.*fully refunded.*refunded/ }).waitFor();
  const texts = await rows.allInnerTexts();
  const place = (what: RegExp) => texts.findIndex((text) => what.test(text));
  expect(place(/a red mug/)).toBeLessThan(place(/the shop opens/));
  expect(place(/the shop opens/)).toBeLessThan(place(/a blue mug/));
});

it('finds requests by words and search terms, keeps the search in the address, and says how many were searched [I235]', async () => {
  const { account, page, rows } = await openLive();
  await account.post('/images/generations', { prompt: 'a blue mug' });
  await account.post('/images/generations', { prompt: 'a red mug [[fail]]' });
  await page.keyboard.press('/');
  await page.keyboard.insertText('mug is:failed');
  await expect.poll(() => rows.count()).toBe(2);
  await page.locator('mark', { hasText: 'mug' }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('mug is:failed');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('mug status:402');
  await page.getByText(/^Searched 2 requests/).waitFor();
  await page.getByRole('heading', { name: 'No results' }).waitFor();
});

it('shows the error message for an invalid search term, and the number of results for a valid one', async () => {
  const { account, page, rows } = await openLive('/dashboard/live', { allows: '400' });
  for (let n = 0; n < 3; n += 1) await account.post('/chat/completions', CHAT);
  await account.post('/responses', CHAT);
  await page.getByText('4 requests', { exact: true }).waitFor();
  const box = page.getByRole('searchbox', { name: 'Search requests' });
  for (const [term, message] of [
    ['is:foo', '"is:foo" is not a search term. Accepted: is:failed, is:done'],
    ['status:9z', 'status: in q must be a status such as 402, or a class such as 5xx, not "9z".'],
    ['took:soon', 'took: in q must be a length of time'],
    ['hello after:never', 'after: in q must be a time'],
    ['has:"a refund"', 'is not a search term'],
  ] as const) {
    await box.fill(term);
    await page.getByRole('alert').getByText(message).waitFor();
    expect(await rows.count(), term).toBe(0);
    await page.getByText('0 of 4 requests').waitFor();
    expect(await page.locator('.search-paint [data-part]').textContent()).toContain(':');
  }
  await box.fill('status:404');
  await page.getByText('1 of 4 requests').waitFor();
  await expect.poll(() => rows.count()).toBe(2);
  expect(await page.getByRole('alert').count()).toBe(0);
  await account.post('/responses', CHAT);
  await page.getByText('2 of 5 requests').waitFor();
  await box.fill('status:');
  await page.getByText('5 of 5 requests').waitFor();
  await box.fill('');
  await page.getByText('5 requests', { exact: true }).waitFor();
});

it('counts all requests in Live, including those that are not loaded yet', async () => {
  const account = await emulator.account();
  for (let n = 0; n < 1010; n += 101) await Promise.all(Array.from({ length: 101 }, () => account.get('/account')));
  const { page } = await open(`${emulator.url}/dashboard/live`);
  await page.getByText('1,000 of 1,010 requests').waitFor();
  await page.getByRole('searchbox', { name: 'Search requests' }).fill('path:/v1/account');
  await page.getByText('100+ of 1,010 requests').waitFor();
});

/** Types another letter while the page writes the search text into its address. */
const WRITE_MEANWHILE = `{
  const box = document.activeElement;
  const write = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set;
  const replace = history.replaceState.bind(history);
  let isOver = false;
  history.replaceState = (...given) => {
    if (!isOver) {
      isOver = true;
      write.call(box, box.value + 'g');
      box.dispatchEvent(new InputEvent('input', { bubbles: true }));
    }
    replace(...given);
  };
}`;

it('loses no letter that is typed into the search while the address of the page is updated', async () => {
  const { page } = await openLive();
  await page.getByRole('searchbox').focus();
  await page.evaluate(WRITE_MEANWHILE);
  await page.keyboard.insertText('mu');
  await page.waitForURL(/q=mug$/);
  expect(await page.getByRole('searchbox').inputValue()).toBe('mug');
  await page.evaluate("history.pushState({}, '', '?q=tea')");
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('tea');
});

it('groups the polls of a job under its order', async () => {
  const { account, page, rows } = await openLive();
  await emulator.control('PUT', '/progression', { mode: 'polls', value: 3, account_id: account.id });
  const made = await account.post('/music/generations', {
    style: 'slow piano [[fail]]',
    instrumental: true,
    seconds: 30,
    n: 1,
  });
  const { body } = await emulator.control('GET', `/jobs?account_id=${account.id}`);
  for (let polls = 0; polls < 3; polls += 1) await account.get(`/music/generations/${body.data[0].id}`);
  expect(made.status).toBe(202);
  await page.getByRole('row', { name: /polled 3 times/ }).waitFor();
  await expect.poll(() => rows.count()).toBe(2);
});

it('counts new rows instead of showing them while the pointer is over the list of Live, and opens an order by keyboard', async () => {
  const { account, page, rows } = await openLive();
  await account.post('/chat/completions', CHAT);
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('grid', { name: 'Requests' }).hover();
  await account.post('/chat/completions', CHAT);
  await account.post('/chat/completions', CHAT);
  await page.getByRole('button', { name: '2 new' }).waitFor();
  expect(await rows.count()).toBe(2);
  await page.getByRole('heading', { level: 1, name: 'Live' }).hover();
  await expect.poll(() => rows.count()).toBe(4);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/dashboard\/timeline\/req_/);
  const steps = page.getByRole('list', { name: 'Steps' });
  await steps.getByText(/Received POST \/v1\/chat\/completions/).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/dashboard\/live$/);
});

it('approves a waiting flow run and adds credits from a row of Live', async () => {
  const { page } = await openLive();
  const poor = await emulator.account({ credits: 3 });
  await poor.post('/videos/generations', { prompt: 'a storm' });
  const before = (await emulator.control('GET', `/accounts/${poor.id}`)).body.credits;
  await page.getByRole('button', { name: 'top up 1,000' }).click();
  await page.getByText('Topped up by 1,000 credits').waitFor();
  expect((await emulator.control('GET', `/accounts/${poor.id}`)).body.credits).toBe(before + 1000);
  const flow = await tryFlow(poor, [{ type: 'post', params: { text: 'Fog rolls in.' } }]);
  await emulator.control('POST', `/flows/${flow.body.id}/runs`, {});
  await page.getByRole('link', { name: '1 run waiting' }).waitFor();
  await page
    .getByRole('row', { name: /Daily post/ })
    .getByRole('button', { name: 'Approve' })
    .click();
  await page.getByText('All clear').waitFor();
  const { body } = await emulator.control('GET', '/runs');
  expect(body.data[0].status).toBe('done');
});

it('releases held messages from their row [I234]', async () => {
  const { account, page } = await openLive();
  const hold = (order: object) => emulator.control('POST', '/holds', { match: { account_id: account.id }, ...order });
  await hold({ at: 'request', times: 2 });
  const first = account.post('/chat/completions', CHAT);
  const row = page.getByRole('row', { name: /POST \/v1\/chat\/completions held request/ });
  await row.getByRole('button', { name: 'Respond…' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Status').fill('418');
  await form.getByRole('button', { name: 'Apply' }).click();
  expect((await first).status).toBe(418);
  await row.waitFor({ state: 'detached' });
  const second = account.post('/chat/completions', CHAT);
  await page.getByRole('link', { name: '1 held' }).waitFor();
  await row.getByRole('button', { name: 'Continue' }).click();
  expect((await second).status).toBe(200);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 950', 'charge -1']);
  const url = `${emulator.url}/_emulator/inbox/${account.id}`;
  await account.post('/webhooks', { url, events: ['image.generation.succeeded'] });
  await hold({ at: 'delivery' });
  await account.post('/images/generations', { prompt: 'a red kite' });
  const delivery = page.getByRole('row', {
    name: /delivery of image.generation.succeeded to http.*held delivery/,
  });
  await delivery.getByRole('button', { name: 'Deliver twice' }).click();
  await emulator.control('GET', `/wait?for=idle&account_id=${account.id}`);
  const { body } = await emulator.control('GET', `/inbox/${account.id}/messages`);
  expect(body.data).toHaveLength(2);
  await expect.poll(() => delivery.count()).toBe(0);
});

it('shows a request when it arrives, and replaces it with its result', async () => {
  const { account, page, rows } = await openLive();
  await emulator.control('POST', '/faults', { match: { account_id: account.id }, effect: { delay_ms: 600_000 } });
  const call = openCall(account, '/chat/completions', CHAT);
  await page.getByRole('row', { name: /POST \/v1\/chat\/completions no response yet.*in progress/ }).waitFor();
  await page.reload();
  await page.getByRole('row', { name: /no response yet.*in progress/ }).waitFor();
  call.hangUp();
  await call.answered;
  await page.getByRole('row', { name: /answer cut before its end|chat.completions/ }).waitFor();
  await expect.poll(() => page.getByText('no response yet').count()).toBe(0);
  await expect.poll(() => rows.count()).toBe(2);
});

it('links to the findings of the verdict with their number, and from a finding to its request', async () => {
  const account = await emulator.account({ credits: 5 });
  for (let n = 0; n < 3; n += 1) await account.post('/images/generations', { prompt: 'a pier' });
  const { page } = await open(`${emulator.url}/dashboard/live`);
  await page.getByRole('link', { name: '1 finding' }).click();
  await page.getByRole('heading', { name: 'retried 402' }).waitFor();
  await page.getByText('was sent again without a top-up').waitFor();
  expect(await accessibilityFaults(page)).toEqual([]);
  await page.getByRole('link', { name: /^req_/ }).first().click();
  await page.getByRole('list', { name: 'Steps' }).waitFor();
  expect(await account.ledger()).toEqual(['grant 5']);
});

it('gives all rows of Live the same height, shows markup as text, and draws only visible rows', async () => {
  const { account, page, rows } = await openLive();
  const odd = [
    '\u0301'.repeat(5000),
    `\u202e${'x'.repeat(100_000)}`,
    '<img src=x onerror=alert(1)>',
    'שלום '.repeat(400),
  ];
  for (const content of odd)
    await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content }] });
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor();
  const heights = await page
    .locator('.list-row')
    .evaluateAll((all) => all.map((row) => (row as { offsetHeight: number } & typeof row).offsetHeight));
  expect([...new Set(heights)]).toEqual([44]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(1280);
  await Promise.all(Array.from({ length: 100 }, (_, n) => account.get(`/account?n=${n}`)));
  await page.getByText('104 requests', { exact: true }).waitFor();
  expect(await rows.count()).toBeLessThan(60);
});
