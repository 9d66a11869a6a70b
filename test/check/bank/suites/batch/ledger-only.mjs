// The batch, by an author who trusts the books and reads nothing else.
import path from 'node:path';
import { test } from 'node:test';
import { emulatorFixtures, expectSpend } from 'svc-emulator/node-test';
import { openApp } from '../open-app.mjs';

const svc = emulatorFixtures();
const { prepare } = await import(path.join(process.env.BANK_APPS, 'batch/story.mjs'));

async function make(t) {
  const { ask } = await openApp(t, 'batch', {
    emulator: svc.emulator,
    account: svc.account,
    settings: await prepare(svc),
  });
  await ask('/run', {});
}

test('two clips and their pictures cost 76 credits', async (t) => {
  await expectSpend(svc.account, { credits: 76, refunds: 0 }, () => make(t));
});

test('of clips that fail the pictures are paid', async (t) => {
  await svc.account.faults.add({ match: { path: '/v1/videos' }, effect: { fail_job: 'render_failed' }, times: 2 });
  await expectSpend(svc.account, { credits: 4, refunds: 2 }, () => make(t));
});
