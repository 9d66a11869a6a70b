import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, it } from 'vitest';
import { world } from '../support/world.ts';

const emulator = await world();

it.each(['/openapi.json', '/_emulator/openapi.json'])('answers %s, which a validator accepts', async (path) => {
  const { status, body } = await emulator.call('GET', path);
  expect(status).toBe(200);
  const { valid, errors } = await new Validator().validate(body);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});
