import { expect, it } from 'vitest';
import { world } from '../support/world.ts';

it('returns status, version, start time and clock at /_emulator/health [I084]', async () => {
  const emulator = await world();
  const { status, body } = await emulator.control('GET', '/health');
  expect([status, body]).toEqual([
    200,
    {
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      started_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      clock: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
  ]);
});

it('names each invariant that it checks [I136]', async () => {
  const emulator = await world();
  const { ok, checks } = await emulator.invariants();
  expect(ok).toBe(true);
  expect(checks.length).toBeGreaterThanOrEqual(7);
  for (const check of checks) expect(check).toEqual({ name: expect.stringMatching(/^every /), ok: true });
});
