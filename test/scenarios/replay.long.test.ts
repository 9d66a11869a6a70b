import { afterAll, expect, it } from 'vitest';
import { expectSame, oneAfterAnother, PATIENCE, REQUESTS, replay, sideBySide } from './replay-run.ts';

const first = replay(oneAfterAnother);
afterAll(() => first.catch(() => undefined));

it('records requests of every kind', PATIENCE, async () => {
  const traces = await first;
  const kinds = traces.flatMap(({ answers }) => answers.map((answer) => answer.slice(0, 12)));
  const statuses = new Set(kinds.map((kind) => /\d{3}|cut/.exec(kind)?.[0]));
  expect(kinds).toHaveLength(REQUESTS);
  expect([...statuses].toSorted()).toEqual(
    expect.arrayContaining(['200', '201', '202', '400', '404', '429', '502', '503']),
  );
  const events = traces.flatMap(({ events: own }) => own);
  expect(new Set(events.map(({ type }) => type)).size).toBe(6);
  expect(traces.flatMap(({ received }) => received).length).toBeGreaterThan(20);
});

it.each([
  ['one after another', oneAfterAnother],
  ['side by side', sideBySide(1)],
  ['side by side in another order', sideBySide(2)],
  ['side by side in a third order', sideBySide(3)],
])('returns the same responses, ids, ledger, events and bytes with the same seed, %s', PATIENCE, async (_, order) => {
  expectSame(await replay(order), await first);
});
