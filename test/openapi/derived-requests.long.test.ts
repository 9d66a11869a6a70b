import { expect, it } from 'vitest';
import { world } from '../support/world.ts';
import { DerivedRequests } from './derived-requests.ts';

const emulator = await world();

it('answers 10,000 requests that its documents suggest with what they allow, and no 5xx', async () => {
  const requests = await DerivedRequests.of(emulator, 6);
  await requests.send(10_000);
  expect(requests.faults).toEqual([]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
