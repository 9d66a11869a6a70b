import { expect, it } from 'vitest';
import { world } from '../../support/world.ts';

const here = await world({ mediaSize: 'realistic' });
const IMAGES = '/images/generations';

async function picture(prompt: string) {
  const ana = await here.account();
  const { body } = await ana.post(IMAGES, { prompt });
  return Buffer.from(body.data[0].b64_json, 'base64');
}

it('renders images of one to two megabytes with the media size realistic', async () => {
  const sizes = [(await picture('a kite')).length, (await picture('a barn')).length];
  for (const size of sizes) expect(size).toBeGreaterThanOrEqual(1_000_000);
  for (const size of sizes) expect(size).toBeLessThanOrEqual(2_000_000);
  expect(sizes[0]).not.toBe(sizes[1]);
});

it('rejects a directive for an image of over 10 MiB, and charges nothing', async () => {
  const ana = await here.account();
  const { status, body } = await ana.post(IMAGES, { prompt: 'a kite [[bytes:11MiB]]' });
  expect([status, body.error.code, body.error.param]).toEqual([400, 'invalid_request', 'prompt']);
  expect(body.error.message).toContain('10485760 bytes (10 MiB)');
  expect(await ana.ledger()).toEqual(['grant 50']);
});
