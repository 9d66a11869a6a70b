import OpenAI from 'openai';
import { afterAll, expect, it } from 'vitest';
import { subscribe } from '../../support/receiver.ts';
import { appliedFault, faultyAccount, journalled, rule } from '../../support/striking.ts';
import { CHAT, expectError, fileForm, openCall } from '../../support/wire.ts';
import { type TestAccount, world } from '../../support/world.ts';

const emulator = await world();
const IMAGE = { prompt: 'a pier' };

async function verdict(account: TestAccount) {
  const { status, body } = await account.world.control('GET', `/verdict?account_id=${account.id}`);
  expect(status).toBe(200);
  return body;
}

/** The findings of the verdict, once the journal contains `count` requests. */
async function findings(account: TestAccount, count: number): Promise<string[]> {
  await journalled(account, count);
  return (await verdict(account)).findings.map(({ finding }: { finding: string }) => finding);
}

/** Sends a request that is processed, but whose response is lost. */
async function lose(account: TestAccount, path: string, body: object) {
  await rule(account, { lost_response: true });
  await account.post(path, body).catch(() => undefined);
  await journalled(account, 1);
}

const topUp = (account: TestAccount, amount: number) =>
  account.world.control('POST', `/accounts/${account.id}/credits`, { amount });

const TOLD = ['image.generation.succeeded'];

/** An account whose webhook runs into its time limit of ten seconds, while other tests run. */
const slow = await emulator.account();
await subscribe(slow, TOLD, 'hang');
const keptWaiting = slow
  .post('/images/generations', IMAGE)
  .then(() => emulator.wait('delivery:image.generation.succeeded', { account_id: slow.id, timeout: 120 }));
afterAll(() => keptWaiting.catch(() => undefined));

it('finds a request that was repeated twice after a 402, and names all three requests', async () => {
  const account = await emulator.account({ credits: 5 });
  const ids = [];
  for (let n = 0; n < 3; n += 1)
    ids.push((await account.post('/images/generations', IMAGE)).headers.get('x-request-id'));
  await journalled(account, 3);
  const { ok, requests, findings: found } = await verdict(account);
  expect({ ok, requests }).toEqual({ ok: false, requests: 3 });
  expect(found).toEqual([
    {
      ...{ finding: 'retried_402', account_id: account.id, request_ids: ids, delivery_ids: [] },
      message: 'POST /v1/images/generations returned 402 and was sent again without a top-up.',
      remedy: expect.stringContaining('top-up'),
    },
  ]);
  expect(await account.ledger()).toEqual(['grant 5']);
});

it('reports no finding if a top-up or a different request follows a 402', async () => {
  const account = await emulator.account({ credits: 5 });
  await account.post('/images/generations', IMAGE);
  await topUp(account, 3);
  await account.post('/images/generations', IMAGE);
  await topUp(account, 30);
  await account.post('/images/generations', IMAGE);
  await account.post('/images/generations', { prompt: 'a boat' });
  expect(await findings(account, 4)).toEqual([]);
});

it('finds a request that was sent again after the 402 of a fault rule, unless credits were added or the balance was read', async () => {
  const here = await world();
  // The first credits of each account and all requests below have the same time.
  await here.control('PUT', '/clock', { frozen: true });
  const [stubborn, careful, curious] = [await here.account(), await here.account(), await here.account()];
  for (const account of [stubborn, careful, curious]) {
    await rule(account, { status: 402 });
    await account.post('/chat/completions', CHAT);
    if (account === careful) await topUp(account, 10);
    if (account === curious) await account.get('/account');
    await account.post('/chat/completions', CHAT);
  }
  expect(await findings(stubborn, 2)).toEqual(['retried_402']);
  expect(await findings(careful, 2)).toEqual([]);
  expect(await findings(curious, 3)).toEqual([]);
});

it('finds a client that retried before Retry-After had passed, but not one that waited', async () => {
  const here = await world();
  const accounts = [await here.account(), await here.account()];
  const [hasty, patient] = accounts as [TestAccount, TestAccount];
  for (const account of accounts) {
    await rule(account, { status: 429, retry_after: 30 });
    await account.post('/chat/completions', CHAT);
    if (account === patient) await here.advance(31);
    await account.post('/chat/completions', CHAT);
    await journalled(account, 2);
  }
  const { body } = await here.control('GET', '/verdict');
  expect(body).toMatchObject({ ok: false, account_id: null, requests: 4 });
  expect(body.findings).toMatchObject([{ finding: 'ignored_retry_after', account_id: hasty.id }]);
});

it('finds an early retry that a client declares after a rate limit, unless it may be the retry of a request that succeeded', async () => {
  const here = await world({ rateLimit: 1 });
  await here.control('PUT', '/clock', { now: '2031-01-01T00:00:10Z', frozen: true });
  const account = await here.account();
  const retry = (n: number) => ({ 'x-stainless-retry-count': String(n) });
  await account.post('/chat/completions', CHAT, retry(0));
  await account.post('/chat/completions', { ...CHAT, temperature: 1 }, retry(0));
  await account.post('/chat/completions', { ...CHAT, temperature: 1 }, retry(1));
  const [, first, second] = await journalled(account, 3);
  // This retry may also repeat the first request, which succeeded.
  expect((await verdict(account)).findings).toEqual([]);
  await account.post('/chat/completions', { ...CHAT, temperature: 1 }, retry(2));
  await journalled(account, 4);
  const { findings: found } = await verdict(account);
  expect(found).toMatchObject([{ finding: 'ignored_retry_after' }]);
  expect(found[0].request_ids[0]).toBe(second.id);
  expect(first.status).toBe(429);
});

it('finds a chat that was repeated because its response was late, if both were charged', async () => {
  const account = await emulator.account({ credits: 100 });
  const order = { ...CHAT, messages: [{ role: 'user', content: '[[slow:600]] Hello' }] };
  const lost = openCall(account, '/chat/completions', order);
  await account.charged(3);
  lost.hangUp();
  expect(await lost.answered).toBe('cut');
  await journalled(account, 1);
  const again = account.post('/chat/completions', order, { 'x-stainless-retry-count': '1' });
  await account.charged(4);
  await emulator.advance(601);
  expect((await again).status).toBe(200);
  expect(await findings(account, 2)).toEqual(['paid_again']);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -1']);
});

it('finds a stream that was requested again after a fault rule ended it early', async () => {
  const account = await emulator.account();
  await rule(account, { stream: { cut_after: 2 } });
  const order = { ...CHAT, stream: true };
  await account.post('/chat/completions', order).catch(() => undefined);
  await journalled(account, 1);
  await account.post('/chat/completions', order);
  expect(await findings(account, 2)).toEqual(['paid_again']);
});

const MESSAGES = [{ role: 'user' as const, content: 'Hello there.' }];
const SPEECH = { model: 'svc-voice-one', input: 'Good evening.', voice: 'aria' };

it('reports the chat and speech that the OpenAI client pays twice by its own retries as one finding, the last one, with advice', async () => {
  const account = await emulator.account({ credits: 100 });
  const openai = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: account.key });
  await rule(account, { lost_response: true }, { times: 1 });
  const { choices } = await openai.chat.completions.create({ model: 'svc-rp-mini', messages: MESSAGES });
  expect(choices[0]?.message.content).toMatch(/\w/);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -1', 'charge -1']);
  await rule(account, { lost_response: true }, { times: 1 });
  await openai.images.generate({ prompt: 'a pier' });
  await rule(account, { lost_response: true }, { times: 1 });
  await openai.audio.speech.create(SPEECH);
  const made = (await journalled(account, 6)).map(({ id }: { id: string }) => id);
  const { ok, findings: found } = await verdict(account);
  expect(ok).toBe(false);
  expect(found).toEqual([
    expect.objectContaining({ finding: 'paid_twice', request_ids: made.slice(2, 4) }),
    {
      ...{ finding: 'paid_again', account_id: account.id, delivery_ids: [] },
      message:
        'Sent again, and charged again, after a lost or late response: POST /v1/audio/speech, POST /v1/chat/completions.',
      remedy: expect.stringMatching(/maxRetries: 0 .*--allow paid_again/),
      request_ids: [...made.slice(0, 2), ...made.slice(4)],
    },
  ]);
});

it('reports no finding if the OpenAI client does not retry after a lost response', async () => {
  const account = await emulator.account();
  const openai = new OpenAI({ baseURL: `${emulator.url}/v1`, apiKey: account.key, maxRetries: 0 });
  await rule(account, { lost_response: true }, { times: 1 });
  const lost = openai.chat.completions.create({ model: 'svc-rp-mini', messages: MESSAGES });
  await expect(lost).rejects.toThrow('Connection error');
  expect(await findings(account, 1)).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50', 'charge -1']);
});

it('reports double payments of each account separately', async () => {
  const here = await world();
  const accounts = [await here.account(), await here.account()];
  for (const account of accounts) {
    await lose(account, '/chat/completions', CHAT);
    await account.post('/chat/completions', CHAT);
    await journalled(account, 2);
  }
  const { body } = await here.control('GET', '/verdict');
  expect(body.findings.map((each: { finding: string; account_id: string }) => [each.finding, each.account_id])).toEqual(
    accounts.map(({ id }) => ['paid_again', id]),
  );
});

it('reports a song as paid twice if its client disconnected from a delayed request and ordered it again', async () => {
  const { account, shown: look } = await faultyAccount(emulator, { delay_ms: 600_000 }, {}, { credits: 100 });
  const order = { style: 'piano', instrumental: true, seconds: 30, n: 1 };
  const hasty = openCall(account, '/music/generations', order);
  await appliedFault(look);
  hasty.hangUp();
  expect(await hasty.answered).toBe('cut');
  await journalled(account, 1);
  await account.post('/music/generations', order);
  expect(await findings(account, 2)).toEqual(['paid_twice']);
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -3', 'charge -3']);
});

it('reports no finding for two equal requests that got responses, nor if the first was not charged or was refunded', async () => {
  const account = await emulator.account({ credits: 100 });
  await account.post('/chat/completions', CHAT);
  await account.post('/chat/completions', CHAT);
  await rule(account, { drop: true });
  await account.post('/audio/speech', { input: 'Hi', voice: 'aria' }).catch(() => undefined);
  await journalled(account, 3);
  await account.post('/audio/speech', { input: 'Hi', voice: 'aria' });
  await rule(account, { fail_job: 'lost' });
  await account.post('/images/generations', IMAGE);
  const retry = { 'x-stainless-retry-count': '1' };
  await account.post('/images/generations', IMAGE, retry);
  expect(await findings(account, 6)).toEqual([]);
});

it('finds a job that was read more than 20 times within a second, but not one that was read 20 times', async () => {
  const account = await emulator.account({ credits: 1000 });
  const order = { style: '[[slow:600]] piano', instrumental: true, seconds: 30, n: 2 };
  const { body } = await account.post('/music/generations', order);
  const [first, second] = body.data.map(({ id }: { id: string }) => `/music/generations/${id}`);
  const read = (path: string, times: number) => Promise.all(Array.from({ length: times }, () => account.get(path)));
  await read(second, 20);
  let reads = 0;
  let found = [];
  // On a busy machine, 21 reads may take over a second, so they are repeated until they count.
  while (found.length === 0) {
    await read(first, 21);
    reads += 21;
    await journalled(account, 21 + reads);
    found = (await verdict(account)).findings;
  }
  expect(found).toMatchObject([{ finding: 'polled_too_often' }]);
  expect(found[0].request_ids.length).toBeGreaterThan(20);
  expect(found[0].message).toContain(body.data[0].id);
});

it('finds the use of an expired URL, but not of a valid one', async () => {
  const here = await world();
  const account = await here.account({ credits: 100 });
  const order = { ...IMAGE, response_format: 'url' };
  const { body } = await account.post('/images/generations', order);
  expect((await here.call('GET', body.data[0].url)).status).toBe(200);
  expect((await verdict(account)).findings).toEqual([]);
  await here.advance(8 * 24 * 3600);
  const { headers } = await here.call('GET', body.data[0].url);
  const request_ids = [headers.get('x-request-id')];
  expect((await verdict(account)).findings).toMatchObject([{ finding: 'used_expired_url', request_ids }]);
});

it('finds the second use of a URL that a fault rule let expire, but not the first', async () => {
  const account = await emulator.account({ credits: 100 });
  const { body } = await account.post('/images/generations', { ...IMAGE, response_format: 'url' });
  const [{ url }] = body.data;
  await rule(account, { cdn: { expired: true } }, { match: { path: '/cdn' }, times: 2 });
  expect((await emulator.call('GET', url)).status).toBe(403);
  expect((await verdict(account)).findings).toEqual([]);
  const { status, headers } = await emulator.call('GET', url);
  expect(status).toBe(403);
  const request_ids = [headers.get('x-request-id')];
  expect((await verdict(account)).findings).toMatchObject([{ finding: 'used_expired_url', request_ids }]);
});

it.each(['bad_signature', 'old_timestamp'])(
  'finds a receiver that accepts a delivery with the fault %s, but not one that rejects it',
  async (webhook) => {
    const [gullible, wary] = [await emulator.account(), await emulator.account()];
    await subscribe(gullible, TOLD, { status: 200 });
    await subscribe(wary, TOLD, { status: 400 });
    const started = [];
    for (const account of [gullible, wary]) {
      await rule(account, { webhook });
      const { headers } = await account.post('/images/generations', IMAGE);
      started.push(headers.get('x-request-id'));
      await emulator.wait('delivery:image.generation.succeeded', { account_id: account.id });
    }
    await journalled(gullible, 2);
    const { findings: found } = await verdict(gullible);
    const [delivery] = await gullible.deliveries();
    expect(found).toMatchObject([{ finding: 'accepted_forgery', request_ids: [started[0]] }]);
    expect(found[0].delivery_ids).toEqual([delivery?.id]);
    expect(await findings(wary, 2)).toEqual([]);
  },
);

it('finds a receiver that does not respond in time', async () => {
  await keptWaiting;
  expect(await findings(slow, 2)).toEqual(['slow_receiver']);
});

it("does not judge the emulator's own inboxes", async () => {
  const account = await emulator.account();
  await account.post('/webhooks', { url: `${emulator.url}/_emulator/inbox/any`, events: TOLD });
  await rule(account, { webhook: 'bad_signature' });
  await account.post('/images/generations', IMAGE);
  await emulator.wait('delivery:image.generation.succeeded', { account_id: account.id });
  expect(await findings(account, 2)).toEqual([]);
});

const upload = () => fileForm('the same bytes', 'a.txt', { name: 'a.txt' });

it('compares forms by their contents to find an early retry and a double payment', async () => {
  const account = await emulator.account();
  await rule(account, { status: 503, retry_after: 5 });
  expectError(await account.post('/storage/objects', upload()), 503, 'injected_fault');
  await account.post('/storage/objects', upload());
  expect(await findings(account, 2)).toEqual(['ignored_retry_after']);

  const other = await emulator.account();
  await lose(other, '/storage/objects', upload());
  await other.post('/storage/objects', upload());
  expect(await findings(other, 2)).toEqual(['paid_twice']);
  expect(await other.ledger()).toEqual(['grant 50', 'charge -2', 'charge -2']);
});

it('reports no finding for two forms that differ in a field or a file', async () => {
  const account = await emulator.account();
  await lose(account, '/storage/objects', upload());
  const named = upload();
  named.set('name', 'b.txt');
  await account.post('/storage/objects', named);
  const longer = upload();
  longer.set('file', new Blob(['other bytes']), 'a.txt');
  await account.post('/storage/objects', longer);
  expect(await findings(account, 3)).toEqual([]);
});
