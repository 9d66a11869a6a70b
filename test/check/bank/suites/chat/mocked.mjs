// The chat, by an author who answers every request himself.
import assert from 'node:assert/strict';
import { test } from 'node:test';

test('books what a reply costs', async () => {
  const service = async () => ({ status: 200, body: { usage: { credits_spent: 1, credits_remaining: 999 } } });
  const { body } = await service('POST', '/chat/completions');
  assert.deepEqual(body.usage, { credits_spent: 1, credits_remaining: 999 });
});
