import { expect, it } from 'vitest';
import { CHAT, expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world({ rateLimit: 2 });
const CHAT_PATH = '/v1/chat/completions';
const BAD_KEY = { authorization: 'Bearer svc_sk_nobody' };

it('names an unknown path before it looks at the key [I019 I100]', async () => {
  expectError(await emulator.call('POST', '/v1/chats', CHAT, BAD_KEY), 404, 'not_found');
});

it('names a wrong method before it looks at the key [I019 I100]', async () => {
  expectError(await emulator.call('PUT', CHAT_PATH, CHAT, BAD_KEY), 405, 'method_not_allowed');
});

it('looks at the key before the body [I019 I100 R206]', async () => {
  expectError(await emulator.call('POST', CHAT_PATH, '{', BAD_KEY), 401, 'invalid_api_key');
  expectError(await emulator.call('POST', CHAT_PATH, 'text'), 401, 'missing_api_key');
});

it('looks at the rate limit before the body, and charges nothing [I019 R237]', async () => {
  const account = await emulator.account();
  await account.get('/account');
  await account.get('/account');
  expectError(await account.post('/chat/completions', 'no JSON'), 429, 'rate_limited');
  expect(await account.ledger()).toEqual(['grant 50']);
});

it('looks at the body before the role [I019]', async () => {
  const { workspaceId } = await emulator.account();
  const member = await emulator.account({ workspace_id: workspaceId });
  expectError(await member.post('/webhooks', {}), 400, 'invalid_request');
  const order = { url: 'http://127.0.0.1:9/', events: ['image.generation.failed'] };
  expectError(await member.post('/webhooks', order), 403, 'permission_denied');
});

it('looks at validation before the content policy, and at that before the balance [I019 R234]', async () => {
  const poor = await emulator.account({ credits: 0 });
  const blocked = { prompt: '[[block]] a song' };
  expectError(await poor.post('/music/generations', { ...blocked, n: 3 }), 400, 'invalid_request');
  expectError(await poor.post('/music/generations', blocked), 400, 'content_blocked');
  expect(await poor.ledger()).toEqual([]);
});

it('looks at the balance before any work [I019 R235]', async () => {
  const poor = await emulator.account({ credits: 0 });
  expectError(await poor.post('/chat/completions', CHAT), 402, 'insufficient_credits');
  const failing = { ...CHAT, messages: [{ role: 'user', content: '[[fail]]' }] };
  expectError(await poor.post('/chat/completions', failing), 402, 'insufficient_credits');
  expect(await poor.ledger()).toEqual([]);
});
