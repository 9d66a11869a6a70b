import { afterAll, it } from 'vitest';
import { expectSame, oneAfterAnother, PATIENCE, replay, sideBySide } from './replayed-script.ts';

const first = replay(oneAfterAnother);
afterAll(() => first.catch(() => undefined));

it.each([
  ['one after another', oneAfterAnother],
  ['side by side in another order', sideBySide(2)],
  ['side by side in a third order', sideBySide(3)],
])('gives the same answers, ids, ledger, events and bytes again, %s', PATIENCE, async (_, order) => {
  expectSame(await replay(order), await first);
});
