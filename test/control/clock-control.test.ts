import { expect, it } from 'vitest';
import { CHAT, expectError } from '../support/wire.ts';
import { type World, world } from '../support/world.ts';

async function atNoon(): Promise<World> {
  const emulator = await world();
  await emulator.control('PUT', '/clock', { now: '2030-01-01T12:00:00Z', frozen: true });
  return emulator;
}

it('sets the clock with a time in another time zone, and keeps an omitted setting [I086 I198]', async () => {
  const emulator = await atNoon();
  const set = await emulator.control('PUT', '/clock', { now: '2031-06-01T02:00:00+02:00' });
  expect(set.body).toEqual({ now: '2031-06-01T00:00:00.000Z', frozen: true });
  const freed = await emulator.control('PUT', '/clock', { frozen: false });
  expect(freed.body).toMatchObject({
    now: expect.stringMatching(/^2031-06-01T00:00:/),
    frozen: false,
  });
});

it.each([
  [0, '12:00:00.000'],
  [1.5, '12:00:01.500'],
  [0.0004, '12:00:00.000'],
  [0.0006, '12:00:00.001'],
  [3600, '13:00:00.000'],
])('advances the clock by %f seconds, rounded to milliseconds [I086]', async (seconds, time) => {
  const emulator = await atNoon();
  const { body } = await emulator.control('POST', '/clock/advance', { seconds });
  expect(body.now).toBe(`2030-01-01T${time}Z`);
  const account = await emulator.account();
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
});

it.each<[string, string, object, string]>([
  ['PUT', '/clock', { now: '2030' }, 'now'],
  ['PUT', '/clock', { now: 5 }, 'now'],
  ['PUT', '/clock', { now: '2030-02-30T00:00:00Z' }, 'now'],
  ['PUT', '/clock', { now: '1970-01-01T00:00:00Z' }, 'now'],
  ['PUT', '/clock', { frozen: 'yes' }, 'frozen'],
  ['POST', '/clock/advance', {}, 'seconds'],
  ['POST', '/clock/advance', { seconds: -1 }, 'seconds'],
  ['POST', '/clock/advance', { seconds: '60' }, 'seconds'],
  ['POST', '/clock/advance', { seconds: 1e300 }, 'seconds'],
  ['POST', '/clock/advance', { seconds: 1e12 }, 'seconds'],
])('rejects %s %s with %j, names %s, and does not move the clock [I006 I086]', async (method, path, body, param) => {
  const emulator = await atNoon();
  expectError(await emulator.control(method, path, body), 400, 'invalid_request', param);
  expect((await emulator.control('GET', '/clock')).body).toEqual({ now: '2030-01-01T12:00:00.000Z', frozen: true });
});
