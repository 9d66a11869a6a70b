import { expect, it, onTestFinished } from 'vitest';
import { Keys } from '../../../src/engine/accounts/keys.ts';
import { CHAT } from '../../support/wire.ts';
import { world } from '../../support/world.ts';

const emulator = await world();

it('answers a bug of its own with internal_error, and with nothing of what is inside [I017]', async () => {
  const account = await emulator.account();
  const { authenticate } = Keys.prototype;
  onTestFinished(() => {
    Keys.prototype.authenticate = authenticate;
  });
  Keys.prototype.authenticate = () => {
    throw new TypeError(`no such thing in ${import.meta.filename}`);
  };
  const answer = await account.post('/chat/completions', CHAT);
  Keys.prototype.authenticate = authenticate;
  expect(answer.status).toBe(500);
  expect(answer.body).toEqual({
    error: {
      code: 'internal_error',
      message:
        'The emulator itself has failed: this is a bug of svc-emulator. Its log says more under the x-request-id of this answer.',
      type: 'api_error',
      param: null,
    },
  });
  expect(answer.headers.get('x-request-id')).toMatch(/^req_\w+$/);
  expect(await account.ledger()).toEqual(['grant 50']);
  expect((await account.post('/chat/completions', CHAT)).status).toBe(200);
});
