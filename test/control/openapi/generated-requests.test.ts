import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';
import { GeneratedRequests } from './generated-requests.ts';

const emulator = await world();

it('responds to 60 generated requests as the OpenAPI documents allow, without a 5xx [I005 I017]', async () => {
  const requests = await GeneratedRequests.of(emulator, 20_26);
  await requests.send(60);
  expect(requests.faults).toEqual([]);
  expect(Object.keys(requests.statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '402', '404']));
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});

it('accepts a generated body for each JSON operation or rejects it with a documented error, and charges nothing for a 4xx [I005 I017 I136]', async () => {
  const requests = await GeneratedRequests.of(emulator, 4711, { invalid: 0.3 });
  await requests.sendToEach(1);
  expect(requests.faults).toEqual([]);
  expect(await emulator.invariants()).toMatchObject({ ok: true });
});
