import { expect, it } from 'vitest';
import { callHook, makeFlow, POST, settledRun, TEXT } from '../../support/flow-rig.ts';
import { subscribe } from '../../support/receiver.ts';
import { rule } from '../../support/striking.ts';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();
const ann = await emulator.account();
const flow = await makeFlow(ann, [{ type: 'post', params: { text: '{{inputs.topic}}' } }]);
const post = (url: string, body: unknown, headers = {}) => emulator.call('POST', url, body, headers);
const json = { 'content-type': 'application/json' };

async function runs(): Promise<number> {
  return (await emulator.control('GET', `/runs?account_id=${ann.id}`)).body.data.length;
}

it('starts a flow run by the hook URL of its flow without a key, and returns 202 with the id and status of the run [I079 I133]', async () => {
  const answer = await post(flow.hook_url, { topic: 'tea' });
  expect([answer.status, answer.body]).toEqual([
    ...[202, { id: expect.stringMatching(/^run_[0-9a-f]{24}$/), status: 'running' }],
  ]);
  expect(flow.hook_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hooks\/flows\/\w{32}$/);
});

it.each([
  ['text that is not JSON', '{"topic": ', json, 400, 'invalid_request'],
  ['nothing', '', json, 400, 'invalid_request'],
  ['a list', '[1]', json, 400, 'invalid_request'],
  ['a text', '"tea"', json, 400, 'invalid_request'],
  ['too many levels', `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, json, 400, 'invalid_request'],
  ['the type text/plain', 'topic=tea', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ['more than 1 MiB', JSON.stringify({ topic: 'x'.repeat(1_048_576) }), json, 413, 'payload_too_large'],
])('rejects a hook body of %s, and starts no flow run [I133 I168]', async (_, body, headers, status, code) => {
  const before = await runs();
  expectError(await post(flow.hook_url, body, headers), status as number, code as string);
  expect(await runs()).toBe(before);
});

it('accepts a hook body of exactly 1 MiB [I168]', async () => {
  const body = JSON.stringify({ topic: 'x'.repeat(1_048_576 - 12) });
  expect(body).toHaveLength(1_048_576);
  expect((await post(flow.hook_url, body, json)).status).toBe(202);
});

it('returns the same 404 for a deleted and an unknown hook, and starts no flow run [I133]', async () => {
  const removed = await makeFlow(ann, [TEXT]);
  await emulator.control('DELETE', `/flows/${removed.id}`);
  const never = removed.hook_url.replace(/\w{32}$/, 'a'.repeat(32));
  const before = await runs();
  const answers = await Promise.all([removed.hook_url, never].map((url) => post(url, {})));
  for (const answer of answers) expectError(answer, 404, 'not_found');
  expect(answers[0]?.body).toEqual(answers[1]?.body);
  expect(await runs()).toBe(before);
});

it('returns the status of a fault rule for one account only from hook URLs of its flows, and starts no flow run for that request [I143]', async () => {
  const account = await emulator.account();
  const other = await emulator.account();
  const { hook_url: url, id } = await makeFlow(account, [TEXT]);
  const theirs = await makeFlow(other, [TEXT]);
  const shown = await rule(account, { status: 503 }, { match: { path: '/hooks', contains: 'tide' } });
  expectError(await emulator.call('POST', `${url}x`, { topic: 'tides' }), 404, 'not_found');
  expect((await emulator.call('POST', theirs.hook_url, { topic: 'tides' })).status).toBe(202);
  expectError(await emulator.call('POST', url, { topic: 'the tide' }), 503, 'injected_fault');
  expect(await shown()).toMatchObject({ applied: 1 });
  const { body } = await emulator.control('GET', `/runs?flow_id=${id}&account_id=${account.id}`);
  expect(body.data).toEqual([]);
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('duplicates a delivery of a flow run that a hook started if a fault rule matches the request to the hook [I142 I196]', async () => {
  const account = await emulator.account();
  const { receiver } = await subscribe(account, ['flow.run.waiting', 'flow.run.succeeded']);
  const { hook_url: url } = await makeFlow(account, [TEXT, POST]);
  const shown = await rule(account, { webhook: 'duplicate' }, { match: { path: '/hooks/flows' } });
  await callHook(account, url, { topic: 'tides' }).then((id) => settledRun(account, id));
  const [first, second] = await receiver.received(2);
  expect(second?.body).toBe(first?.body);
  expect(await shown()).toMatchObject({ applied: 1, remaining: 0 });
});
