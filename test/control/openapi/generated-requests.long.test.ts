import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { GeneratedRequests } from './generated-requests.ts';

const emulator = await world();

it('answers 10,000 requests that its documents suggest with what they allow, and no 5xx', async () => {
  const requests = await GeneratedRequests.of(emulator, 6);
  await requests.send(10_000);
  expect(requests.faults).toEqual([]);
  expect(Object.keys(requests.statuses)).toEqual(expect.arrayContaining(['200', '201', '400', '401', '402', '404']));
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('answers thirty bodies of each operation that takes JSON, a third of their values wrong, without charging a refusal', async () => {
  const requests = await GeneratedRequests.of(emulator, 4712, { invalid: 0.3 });
  await requests.sendToEach(30);
  expect(requests.faults).toEqual([]);
});
