import { expect, it } from 'vitest';
import { CHAT } from '../support/wire.ts';
import { type TestAccount, world } from '../support/world.ts';

const emulator = await world();

/** What the journal has of an account, newest first. */
async function requests({ id }: TestAccount, query = '') {
  const { body } = await emulator.control('GET', `/requests?account_id=${id}${query}`);
  return body.data;
}

it('keeps a request and its answer, and for chat the engine prompt [I092 I157]', async () => {
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
  });
  expect(JSON.parse(kept.request)).toEqual(CHAT);
  expect(JSON.parse(kept.answer)).toEqual(answer.body);
  expect(kept.engine_prompt.at(-1)).toEqual({ role: 'user', text: 'Hello there.', images: 0 });
});

it('keeps errors, streams and binary answers too [I157]', async () => {
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

it('keeps requests under /v1 alone [I157]', async () => {
  const other = await world();
  await other.control('GET', '/health');
  await other.call('GET', '/nowhere');
  await other.call('GET', '/cdn/nothing');
  await other.call('GET', '/v1/nowhere');
  const { body } = await other.control('GET', '/requests');
  expect(body.data.map(({ path }: { path: string }) => path)).toEqual(['/v1/nowhere']);
});

it('redacts keys and secrets wherever they stand [I157]', async () => {
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

it('cuts long bodies and prompts with a note [I157]', async () => {
  const account = await emulator.account();
  const long = 'word '.repeat(20_000);
  const messages = Array.from({ length: 3 }, () => ({ role: 'user', content: long }));
  await account.post('/chat/completions', { ...CHAT, messages });
  const [kept] = await requests(account);
  expect(JSON.stringify(kept).length).toBeLessThan(60_000);
  expect(kept.request).toMatch(/… \[cut: \d+ bytes in all\]$/);
  expect(JSON.stringify(kept.engine_prompt)).toMatch(/\[cut: 100000 characters in all\]/);
});

it('forgets the requests of one account, or all [I092 I164]', async () => {
  const [one, other] = [await emulator.account(), await emulator.account()];
  await Promise.all([one.get('/account'), other.get('/account')]);
  expect((await emulator.control('DELETE', `/requests?account_id=${one.id}`)).status).toBe(204);
  expect(await requests(one)).toEqual([]);
  expect(await requests(other)).toHaveLength(1);
});
