import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { dashboardOpener, visit } from '../support/browser.ts';
import { SuiteFolder, VITEST } from '../support/suite-folder.ts';
import { CHAT, fileForm } from '../support/wire.ts';
import { type TestAccount, worldForEach } from '../support/world.ts';

const open = await dashboardOpener();
const emulator = await worldForEach();

const VIDEO = { prompt: 'a \'lamp\' in the "fog" \\ `$\u007bx}`', seconds: 5 };
const SONG = { prompt: 'a slow waltz', seconds: 30, n: 2 };

interface Sent {
  path: string;
  body: object;
  rules?: readonly object[];
  credits?: number;
  /** Parts of the text of the copied test. */
  contains: readonly (string | RegExp)[];
}

/** Orders by the cause of their failure, and one that succeeds. */
const ORDERS: Record<string, Sent> = {
  'a rule that fails the work of an image': {
    path: '/images/generations',
    body: { prompt: 'a lamp' },
    rules: [{ match: { path: '/v1/images' }, effect: { fail_job: 'render_failed' } }],
    contains: ["failJob: 'render_failed'", 'toBe(502)', '{ credits: 0, refunds: 1 }'],
  },
  'a directive': {
    path: '/images/generations',
    body: { prompt: 'a lamp [[fail:out_of_memory]]' },
    contains: ['[[fail:out_of_memory]]', 'toBe(502)'],
  },
  'a rule that fails the work of a video': {
    path: '/videos/generations',
    body: VIDEO,
    rules: [{ match: { path: '/v1/videos', contains: 'lamp' }, effect: { fail_job: 'render_failed' }, times: 0 }],
    contains: ["contains: 'lamp'", 'times: 0', 'toBe(202)', '{ credits: 0, refunds: 1 }', 'fails with render_failed'],
  },
  'a rule that fails the second take of a song, behind one for its webhooks': {
    path: '/music/generations',
    body: SONG,
    rules: [
      { effect: { webhook: 'duplicate' } },
      { match: { path: '/v1/music', take: 2 }, effect: { fail_job: 'out_of_tune' } },
    ],
    contains: ["webhook: 'duplicate'", 'take: 2', '{ credits: 3, refunds: 1 }'],
  },
  'a rule that returns a status': {
    path: '/chat/completions',
    body: CHAT,
    rules: [{ match: { model: CHAT.model }, effect: { status: 429, code: 'slow_down', retry_after: 3 } }],
    contains: ["code: 'slow_down', retryAfter: 3", 'toBe(429)', '{ credits: 0, refunds: 0 }'],
  },
  'a rule that resets the connection': {
    path: '/chat/completions',
    body: CHAT,
    rules: [{ effect: { drop: true } }],
    contains: ['drop: true', 'rejects.toThrow()', '{ credits: 0, refunds: 0 }'],
  },
  'a rule that loses the response': {
    path: '/videos/generations',
    body: VIDEO,
    rules: [{ effect: { lost_response: true } }],
    contains: ['lostResponse: true', 'rejects.toThrow()', '{ credits: 60, refunds: 0 }'],
  },
  'a rule that cuts a stream': {
    path: '/chat/completions',
    body: { ...CHAT, stream: true },
    rules: [{ effect: { stream: { cut_after: 2 } } }],
    contains: ['cutAfter: 2', 'toBe(200)', 'response.text()).rejects'],
  },
  'an empty balance': {
    path: '/videos/generations',
    body: VIDEO,
    credits: 50,
    contains: ['emulator.account({ credits: 50 })', 'toBe(402)'],
  },
  'a limit of the plan': {
    path: '/videos/generations',
    body: { ...VIDEO, model: 'vid_eh3rnwli', seconds: 12 },
    contains: ["emulator.account({ plan: 'payg' })", 'toBe(400)'],
  },
  'a model that there is not': {
    path: '/chat/completions',
    body: { ...CHAT, model: 'gpt-unknown' },
    contains: ['toBe(404)', '{ credits: 0, refunds: 0 }'],
  },
  'nothing: a chat that succeeds': { path: '/chat/completions', body: CHAT, contains: ['{ credits: 1, refunds: 0 }'] },
};

/** Sends the order, and returns the id of its request. The rules are deleted, as a suite does at its end. */
async function send(account: TestAccount, { path, body, rules = [] }: Sent): Promise<string> {
  const made: string[] = [];
  for (const rule of rules) {
    const own = { match: { test: undefined }, ...rule };
    const match = { ...own.match, account_id: account.id };
    made.push((await emulator.control('POST', '/faults', { ...rule, match })).body.id);
  }
  await account.post(path, body).catch(() => undefined);
  await emulator.control('GET', `/wait?for=idle&timeout=120&account_id=${account.id}`);
  for (const id of made) await emulator.control('DELETE', `/faults/${id}`);
  const { body: listed } = await emulator.control('GET', `/requests?account_id=${account.id}`);
  return listed.data.at(-1).id;
}

/** Goes to the timeline of a request, without loading the dashboard again. */
async function openOrder(page: Page, id: string): Promise<void> {
  await visit(page, `/dashboard/timeline/${id}`);
  await page.getByRole('navigation', { name: 'Related records' }).getByTitle(id).waitFor();
}

it('copies an order as a test that passes, for eleven causes of failure and for a success', {
  timeout: 240_000,
}, async () => {
  const sent: [account: string, request: string][] = [];
  for (const order of Object.values(ORDERS)) {
    const account = await emulator.account({ credits: order.credits ?? 1000 });
    sent.push([account.id, await send(account, order)]);
  }
  const { page } = await open(emulator.url);
  const copied: Record<string, string> = {};
  for (const [n, [name, { contains }]] of Object.entries(ORDERS).entries()) {
    const [account = '', request = ''] = sent[n] ?? [];
    await openOrder(page, request);
    await page.getByRole('button', { name: 'Copy as test' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const text = String(await page.evaluate('navigator.clipboard.readText()'));
    for (const part of contains) expect(text, name).toContain(part);
    expect(text).not.toContain(account);
    copied[`copied-${n}.test.ts`] = text;
  }
  const running = { SVC_BASE_URL: emulator.url, NO_COLOR: '1' };
  const { code, output } = await new SuiteFolder(copied).runCommand(
    process.execPath,
    [VITEST, 'run', '--no-isolate', '--testTimeout=60000'],
    running,
  );
  expect(output).toContain(`Tests  ${Object.keys(copied).length} passed`);
  expect(code).toBe(0);
});

it('does not offer to copy an order as a test that could not pass, and explains why', async () => {
  const { page } = await open(emulator.url);
  const account = await emulator.account({ credits: 100 });
  await account.post('/storage/objects', fileForm('kept', 'kept.txt', { name: 'kept.txt' }));
  await account.post('/images/generations', { prompt: 'a lamp' });
  const { body: jobs } = await emulator.control('GET', `/jobs?account_id=${account.id}`);
  await account.get(`/images/generations/${jobs.data[0].id}`);
  await emulator.control('POST', '/fixtures', {
    fixtures: [{ match: { message: 'quay' }, answer: { text: 'Yes.' } }],
  });
  await account.post('/chat/completions', { ...CHAT, messages: [{ role: 'user', content: 'the quay' }] });
  const { body } = await emulator.control('GET', `/requests?account_id=${account.id}`);
  const why: Record<string, string | null> = {};
  for (const { id, method, path } of body.data) {
    await openOrder(page, id);
    const button = page.getByRole('button', { name: 'Copy as test' });
    await button.waitFor();
    why[`${method} ${path.replace(/job_\w+/, 'ID')}`] = (await button.isDisabled())
      ? await button.getAttribute('title')
      : null;
  }
  expect(why).toMatchObject({
    'POST /v1/storage/objects': 'Uploads are not recorded.',
    'POST /v1/images/generations': null,
    'POST /v1/chat/completions': 'The response is a scripted answer.',
  });
});
