import { expect, it } from 'vitest';
import { expectError } from '../support/wire.ts';
import { world } from '../support/world.ts';

const emulator = await world();

const shop = (unit: object) => emulator.control('POST', '/accounts', { unit: { file: '/a/shop.test.ts', ...unit } });
const shown = async (id: string) => {
  const { body } = await emulator.control('GET', '/units');
  return body.data.find((unit: { id: string }) => unit.id === id);
};

it('lists a test with the accounts that were made for it, and how it ended', async () => {
  const { body: first } = await shop({ name: 'a shop > sells', line: 4 });
  const { body: second } = await emulator.control('POST', '/accounts', { credits: 5, unit_id: first.unit_id });
  expect(second.unit_id).toBe(first.unit_id);
  expect(await shown(first.unit_id)).toEqual({
    ...{ id: first.unit_id, name: 'a shop > sells', file: '/a/shop.test.ts', line: 4 },
    ...{ account_ids: [first.id, second.id], exclusive: false, outcome: null, error: null },
    ...{ started: expect.stringMatching(/^\d{4}-.*Z$/), ended: null },
  });
  const end = { outcome: 'failed', error: `expected 1 ${'x'.repeat(3000)}` };
  const { status, body } = await emulator.control('PATCH', `/units/${first.unit_id}`, end);
  expect([status, body.outcome, body.error.length]).toEqual([200, 'failed', 2000]);
  expect(Date.parse(body.ended)).toBeGreaterThanOrEqual(Date.parse(body.started));
  expect(await shown(first.unit_id)).toEqual(body);
});

it('numbers tests of one name in one file, and goes on with one that is tried again', async () => {
  const { body: first } = await shop({ name: 'pays' });
  const { body: second } = await shop({ name: 'pays' });
  const { body: other } = await shop({ name: 'pays', file: '/a/other.test.ts' });
  await emulator.control('PATCH', `/units/${second.unit_id}`, { outcome: 'failed', error: 'no money' });
  const { body: again } = await shop({ name: 'pays', retry: true });
  expect(again.unit_id).toBe(second.unit_id);
  expect(await shown(second.unit_id)).toMatchObject({
    ...{ name: 'pays #2', account_ids: [second.id, again.id], outcome: null, error: null, ended: null },
  });
  expect((await shown(first.unit_id)).name).toBe('pays');
  expect((await shown(other.unit_id)).name).toBe('pays');
});

it('keeps units over a reset, and says nothing of them to those who do not ask', async () => {
  const alone = await world();
  const { body: plain } = await alone.control('POST', '/accounts', {});
  expect(plain).not.toHaveProperty('unit_id');
  const { body: asked } = await alone.control('POST', '/accounts', { unit: { name: 'resets' } });
  await alone.control('POST', '/reset');
  const { body } = await alone.control('GET', '/units');
  expect(body.data).toMatchObject([
    { name: 'resets', file: null, line: null, account_ids: [asked.id], exclusive: true },
  ]);
});

it.each<[object, string]>([
  [{ unit: {} }, 'unit.name'],
  [{ unit: { name: '' } }, 'unit.name'],
  [{ unit: { name: 'sells', line: 0 } }, 'unit.line'],
  [{ unit: { name: 'sells', retry: 'yes' } }, 'unit.retry'],
  [{ unit: { name: 'sells' }, unit_id: 'unit_1' }, 'unit_id'],
])('refuses %j, naming %s', async (order, param) => {
  const before = await emulator.control('GET', '/accounts');
  expectError(await emulator.control('POST', '/accounts', order), 400, 'invalid_request', param);
  expect((await emulator.control('GET', '/accounts')).body.data).toHaveLength(before.body.data.length);
});

it('refuses an outcome that is none', async () => {
  const { body } = await shop({ name: 'ends well' });
  const answer = await emulator.control('PATCH', `/units/${body.unit_id}`, { outcome: 'green' });
  expectError(answer, 400, 'invalid_request', 'outcome');
  expect((await shown(body.unit_id)).outcome).toBeNull();
});
