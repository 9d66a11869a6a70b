import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

const shop = (test: object) => emulator.control('POST', '/accounts', { test: { file: '/a/shop.test.ts', ...test } });
const shown = async (id: string) => {
  const { body } = await emulator.control('GET', '/tests');
  return body.data.find((test: { id: string }) => test.id === id);
};

it('numbers reported tests with the same name in one file, and keeps the id of a retried test', async () => {
  const { body: first } = await shop({ name: 'pays' });
  const { body: second } = await shop({ name: 'pays' });
  const { body: other } = await shop({ name: 'pays', file: '/a/other.test.ts' });
  const failed = { outcome: 'failed', error: `no money ${'x'.repeat(3000)}` };
  const { body: ended } = await emulator.control('PATCH', `/tests/${second.test_id}`, failed);
  expect(ended).toMatchObject({ outcome: 'failed', error: expect.stringMatching(/^no money x{1991}$/) });
  expect(Date.parse(ended.ended)).toBeGreaterThanOrEqual(Date.parse(ended.started));
  const { body: again } = await shop({ name: 'pays', retry: true });
  expect(again.test_id).toBe(second.test_id);
  expect(await shown(second.test_id)).toMatchObject({
    ...{ name: 'pays #2', account_ids: [second.id, again.id], outcome: null, error: null, ended: null },
  });
  expect((await shown(first.test_id)).name).toBe('pays');
  expect((await shown(other.test_id)).name).toBe('pays');
});

it('keeps reported tests after a reset, and returns no test_id for an account without a test', async () => {
  const alone = await world();
  const { body: plain } = await alone.control('POST', '/accounts', {});
  expect(plain).not.toHaveProperty('test_id');
  const { body: asked } = await alone.control('POST', '/accounts', { test: { name: 'resets' } });
  await alone.control('POST', '/reset');
  const { body } = await alone.control('GET', '/tests');
  expect(body.data).toMatchObject([
    { name: 'resets', file: null, line: null, account_ids: [asked.id], exclusive: true },
  ]);
});

it.each<[object, string]>([
  [{ test: {} }, 'test.name'],
  [{ test: { name: '' } }, 'test.name'],
  [{ test: { name: 'sells', line: 0 } }, 'test.line'],
  [{ test: { name: 'sells', retry: 'yes' } }, 'test.retry'],
  [{ test: { name: 'sells' }, test_id: 'test_1' }, 'test_id'],
])('rejects the reported test %j, and names %s', async (order, param) => {
  const before = await emulator.control('GET', '/accounts');
  expectError(await emulator.control('POST', '/accounts', order), 400, 'invalid_request', param);
  expect((await emulator.control('GET', '/accounts')).body.data).toHaveLength(before.body.data.length);
});

it('rejects an unknown outcome of a test', async () => {
  const { body } = await shop({ name: 'ends well' });
  const answer = await emulator.control('PATCH', `/tests/${body.test_id}`, { outcome: 'green' });
  expectError(answer, 400, 'invalid_request', 'outcome');
  expect((await shown(body.test_id)).outcome).toBeNull();
});
