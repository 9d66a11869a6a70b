import { expect, it } from 'vitest';
import { expectError } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const TOKEN = 'a-token-of-the-test';
const emulator = await world({ host: '0.0.0.0', controlToken: TOKEN });
const WITH_TOKEN = { authorization: `Bearer ${TOKEN}` };

it.each(['/_emulator/health', '/_emulator/health/'])('tells %s without a token [I188]', async (path) => {
  expect((await emulator.call('GET', path)).status).toBe(200);
});

it.each(['/_emulator/accounts', '/_emulator/jobs', '/_emulator/healthy', '/', '/dashboard'])(
  'wants its token for %s [I095 I188]',
  async (path) => {
    expectError(await emulator.call('GET', path), 401, 'missing_api_key');
    const wrong = { authorization: 'Bearer another-token-of-test' };
    expectError(await emulator.call('GET', path, undefined, wrong), 401, 'invalid_api_key');
    const { status } = await emulator.call('GET', path, undefined, WITH_TOKEN);
    expect([200, 404]).toContain(status);
  },
);

it('changes nothing without the token [I095]', async () => {
  expectError(await emulator.call('POST', '/_emulator/accounts', {}), 401, 'missing_api_key');
  const { body } = await emulator.call('GET', '/_emulator/accounts', undefined, WITH_TOKEN);
  expect(body.data).toHaveLength(1);
});

it('serves the service without it, under any Host [I095]', async () => {
  expect((await emulator.call('GET', '/v1/models')).status).toBe(200);
  expect(emulator.emulator.controlToken).toBe(TOKEN);
});

it('makes a token where none is given [I095]', async () => {
  const { emulator: made } = await world({ host: '0.0.0.0' });
  expect(made.controlToken).toMatch(/^[0-9A-Za-z]{32}$/);
});

it('takes the token of an inbox from its URL too, as no sender of webhooks has a header for it [I091 I095]', async () => {
  const inbox = '/_emulator/inbox/far';
  expectError(await emulator.call('POST', inbox, 'x'), 401, 'missing_api_key');
  expectError(await emulator.call('POST', `${inbox}?token=wrong`, 'x'), 401, 'missing_api_key');
  expect((await emulator.call('POST', `${inbox}?token=${TOKEN}`, 'x')).status).toBe(200);
  const elsewhere = await emulator.call('GET', `/_emulator/accounts?token=${TOKEN}`);
  expectError(elsewhere, 401, 'missing_api_key');
});
