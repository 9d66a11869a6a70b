import { expect, it } from 'vitest';
import { makeFlow } from '../support/flow-rig.ts';
import { journalled, rule } from '../support/striking.ts';
import { CHAT, expectError } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();
const PICTURE = { prompt: 'a pier' };
const VOICE = { input: 'Hello', voice: 'aria' };
const JSON_TYPE = { 'content-type': 'application/json' };
const TEXT_TYPE = { 'content-type': 'text/plain' };
const LONG = Buffer.alloc(32 * 1_048_576 + 1, ' ');

/** The requests of an account in the journal, newest first. */
async function requests({ id }: TestAccount, query = '') {
  const { body } = await emulator.control('GET', `/requests?account_id=${id}${query}`);
  return body.data;
}

it('records a request and its response, and for chat the prompt of the engine [I092]', async () => {
  const account = await emulator.account();
  const headers = { 'x-stainless-retry-count': '2' };
  const answer = await account.post('/chat/completions', CHAT, headers);
  const [kept] = await requests(account);
  expect(kept).toMatchObject({
    id: answer.headers.get('x-request-id'),
    account_id: account.id,
    method: 'POST',
    path: '/v1/chat/completions',
    operation: 'createChatCompletion',
    status: 200,
    retry_count: 2,
    credits: 1,
    job_ids: [],
    event_ids: [],
    delivery_ids: [],
  });
  const [charge] = (await account.entries()).slice(-1);
  expect(kept.charges).toEqual([charge?.id]);
  expect(Math.abs(Date.parse(kept.received_at) - Date.now())).toBeLessThan(60_000);
  expect(JSON.parse(kept.request)).toEqual(CHAT);
  expect(JSON.parse(kept.answer)).toEqual(answer.body);
  expect(kept.engine_prompt.at(-1)).toEqual({ role: 'user', text: 'Hello there.', images: 0 });
});

it('records requests that fail, stream or return binary data, but not the binary data [I092]', async () => {
  const account = await emulator.account();
  await account.post('/chat/completions', {});
  await account.post('/chat/completions', { ...CHAT, stream: true });
  await account.post('/audio/speech', { input: 'Hello', voice: 'aria' });
  const [speech, stream, refused] = await requests(account);
  expect(refused).toMatchObject({ status: 400, credits: null });
  expect(JSON.parse(refused.answer).error.param).toBe('model');
  expect(stream.answer.endsWith('[DONE]')).toBe(true);
  expect(speech).toMatchObject({ status: 200, credits: 3, answer: null });
  expect(speech.job_ids).toHaveLength(1);
});

it('records a request to an unknown path below /v1, but no control operation and no other unknown path [I157]', async () => {
  const other = await world();
  await other.control('GET', '/health');
  await other.call('GET', '/nowhere');
  await other.call('GET', '/cdn/nothing');
  await other.call('GET', '/v1/nowhere');
  const { body } = await other.control('GET', '/requests');
  expect(body.data.map(({ path }: { path: string }) => path)).toEqual(['/v1/nowhere']);
});

it('removes API keys and webhook secrets from every field of a recorded request [I157]', async () => {
  const account = await emulator.account();
  const content = `My key is ${account.key}, keep it.`;
  const body = { ...CHAT, messages: [{ role: 'user', content }], [account.key]: account.key };
  await account.post(`/chat/completions?key=${account.key}`, body);
  await account.post('/webhooks', {
    url: 'http://127.0.0.1:9/',
    events: ['image.generation.failed'],
  });
  const kept = JSON.stringify(await requests(account));
  expect(kept).not.toContain(account.key.slice(7));
  expect(kept).toContain('svc_sk_…');
  expect(kept).not.toMatch(/whsec_\w/);
});

it('records long bodies and prompts only in part, and says so [I157]', async () => {
  const account = await emulator.account();
  const long = 'word '.repeat(20_000);
  const messages = Array.from({ length: 3 }, () => ({ role: 'user', content: long }));
  await account.post('/chat/completions', { ...CHAT, messages });
  const [kept] = await requests(account);
  expect(JSON.stringify(kept).length).toBeLessThan(60_000);
  expect(kept.request).toMatch(/… \[cut: \d+ bytes in all\]$/);
  expect(JSON.stringify(kept.engine_prompt)).toMatch(/\[cut: 100000 characters in all\]/);
});

it('links a recorded request to its charge, job, events and deliveries', async () => {
  const account = await emulator.account({ credits: 100 });
  const url = `${emulator.url}/_emulator/inbox/timeline`;
  await account.post('/webhooks', { url, events: ['image.generation.failed'] });
  const answer = await account.post('/images/generations', { prompt: '[[fail]] a pier' });
  await emulator.wait('delivery:image.generation.failed', { account_id: account.id });
  const id = answer.headers.get('x-request-id');
  const { body: kept } = await emulator.control('GET', `/requests/${id}`);
  const [charge] = (await account.entries()).filter(({ type }) => type === 'charge');
  const [job] = await account.jobs();
  const [delivery] = await account.deliveries();
  expect(kept).toMatchObject({
    ...{ id, status: 502, credits: null, charges: [charge?.id], job_ids: [job?.id] },
    ...{ event_ids: [delivery?.event_id], delivery_ids: [delivery?.id], run_id: null },
  });
  expect(await account.ledger()).toEqual(['grant 50', 'top_up 50', 'charge -10', 'refund 10']);
});

it('records the applied fault rule, its retry_after, and that the connection was reset', async () => {
  const account = await emulator.account();
  const limited = await rule(account, { status: 429, retry_after: 3 });
  await account.post('/chat/completions', CHAT);
  const dropped = await rule(account, { drop: true });
  await account.post('/chat/completions', CHAT).catch(() => undefined);
  await emulator.control('GET', '/invariants');
  const [second, first] = await requests(account);
  expect(first).toMatchObject({ status: 429, fault: (await limited()).id, retry_after: 3, charges: [] });
  expect(second).toMatchObject({ status: 0, fault: (await dropped()).id, cut: true, charges: [] });
  expect(await account.ledger()).toEqual(['grant 50']);
});

it.each<[string, number, object, string, (account: TestAccount) => Promise<unknown>]>([
  ['a wrong field', 400, {}, 'createImage', (account) => account.post('/images/generations', { prompt: 7 })],
  [
    'broken JSON',
    400,
    {},
    'createImage',
    (account) => account.post('/images/generations', Buffer.from('{'), JSON_TYPE),
  ],
  ['an unknown model', 404, {}, 'createSpeech', (account) => account.post('/audio/speech', { ...VOICE, model: 'no' })],
  ['an unknown id', 404, {}, 'deleteObject', (account) => account.delete('/storage/objects/obj_none')],
  ['a role without the permission', 403, { role: 'member' }, 'listWebhooks', (account) => account.get('/webhooks')],
  ['too few credits', 402, { credits: 1 }, 'createImage', (account) => account.post('/images/generations', PICTURE)],
  ['no JSON', 415, {}, 'createImage', (account) => account.post('/images/generations', Buffer.from('{}'), TEXT_TYPE)],
  ['no form', 415, {}, 'uploadObject', (account) => account.post('/storage/objects', {})],
  [
    'a body that is too long',
    413,
    {},
    'createImage',
    (account) => account.post('/images/generations', LONG, JSON_TYPE),
  ],
])('records the operation of a request that is rejected for %s', async (_why, status, order, operation, send) => {
  const account = await emulator.account(order);
  await send(account);
  await journalled(account, 1);
  const [refused] = await requests(account, `&operation=${operation}&status=${status}`);
  expect(refused).toMatchObject({ status, operation, charges: [] });
  const { body } = await emulator.control('GET', `/explain/${refused.id}`);
  const isReached = [402, 404].includes(status);
  expect(body.steps.some(({ kind }: { kind: string }) => kind === 'validated')).toBe(isReached);
});

it.each([
  ['no key', {}],
  ['an unknown key', { authorization: 'Bearer svc_sk_nobody' }],
])('records the operation of a request with %s', async (_what, headers) => {
  const here = await world();
  await here.call('POST', '/v1/images/generations', PICTURE, headers);
  const { body } = await here.control('GET', '/requests?operation=createImage&status=401');
  expect(body.data).toMatchObject([{ status: 401, operation: 'createImage', account_id: null }]);
});

it('records flow hooks without the secret in their path', async () => {
  const account = await emulator.account({ credits: 100 });
  const flow = await makeFlow(account, [{ type: 'post', params: { text: 'x' } }]);
  const { body: run } = await emulator.call('POST', flow.hook_url, { x: 1 });
  await emulator.wait('event:flow.run.waiting', { account_id: account.id });
  const [called] = await requests(account);
  expect(called).toMatchObject({ path: '/hooks/flows/…', run_id: run.id, status: 202 });
  expect(called.event_ids).toHaveLength(1);
});

it('filters requests by status, operation, path, text and time', async () => {
  const account = await emulator.account();
  await account.post('/chat/completions', {
    ...CHAT,
    messages: [{ role: 'user', content: 'Café' }],
  });
  await account.post('/chat/completions', {});
  await account.get('/account');
  const statuses = async (query: string) =>
    (await requests(account, `&${query}`)).map(({ status }: { status: number }) => status);
  expect(await statuses('status=400')).toEqual([400]);
  expect(await statuses('status=2xx')).toEqual([200, 200]);
  expect(await statuses('operation=createChatCompletion&status=200')).toEqual([200]);
  expect(await statuses('path=/v1/chat')).toEqual([400, 200]);
  expect(await statuses(`text=${encodeURIComponent('"content":"Café')}`)).toEqual([200]);
  expect(await statuses('text=no%25such')).toEqual([]);
  expect(await statuses('since=2000-01-01T00:00:00Z')).toEqual([200, 400, 200]);
  expect(await statuses('since=2999-01-01T00:00:00Z')).toEqual([]);
  expectError(await emulator.control('GET', '/requests?status=9xx'), 400, 'invalid_request');
});
