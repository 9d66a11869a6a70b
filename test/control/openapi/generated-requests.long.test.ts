import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { GeneratedRequests } from './generated-requests.ts';

const emulator = await world();

it('responds to 10,000 generated requests as the OpenAPI documents allow, without a 5xx', async () => {
  const requests = await GeneratedRequests.of(emulator, 6);
  await requests.send(10_000);
  expect(requests.faults).toEqual([]);
  expect(Object.keys(requests.statuses)).toEqual(expect.arrayContaining(['200', '201', '400', '401', '402', '404']));
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('responds as documented to thirty generated bodies for each JSON operation, many of them invalid, and charges no rejected one', async () => {
  const requests = await GeneratedRequests.of(emulator, 4712, { invalid: 0.3 });
  await requests.sendToEach(30);
  expect(requests.faults).toEqual([]);
});
