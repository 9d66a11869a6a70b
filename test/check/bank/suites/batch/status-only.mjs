// The batch and the service behind it, by an author who looks at the status of every answer and at nothing else.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { emulatorFixtures } from 'svc-emulator/node-test';
import { call, openApp } from '../open-app.mjs';

const svc = emulatorFixtures();
const { prepare } = await import(path.join(process.env.BANK_APPS, 'batch/story.mjs'));

async function order(prompt, at = svc) {
  const { ENGINE: model } = await prepare(at);
  return call(at, 'POST', '/videos/generations', { model, prompt, seconds: 4, resolution: '480p' });
}

test('shows its state', async (t) => {
  const { ask } = await openApp(t, 'batch', svc);
  assert.equal((await ask('/state')).status, 200);
});

test('is answered 200 for a picture', async () => {
  const form = new FormData();
  form.set('file', new Blob(['red'], { type: 'text/plain' }), 'red.txt');
  const headers = { authorization: `Bearer ${svc.account.apiKey}` };
  const { status } = await fetch(`${svc.emulator.baseUrl}/storage/objects`, { method: 'POST', headers, body: form });
  assert.equal(status, 200);
});

for (const prompt of ['A door opens.', 'A door opens. [[fail]]']) {
  test(`is answered 202 and 200 for "${prompt}"`, async () => {
    assert.equal((await order(prompt)).status, 202);
    await svc.account.waitFor.idle();
    for (const { id } of await svc.account.jobs()) {
      assert.equal((await call(svc, 'GET', `/videos/generations/${id}`)).status, 200);
    }
  });
}

test('is answered 402 where the credits are gone', async () => {
  const poor = { emulator: svc.emulator, account: await svc.emulator.account({ credits: 0 }) };
  assert.equal((await order('A door opens.', poor)).status, 402);
});
